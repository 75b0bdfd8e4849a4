import { type Grammar, type GrammarRule, type GrammarSymbol, parseGbnf } from './gbnf.ts';
import { GrammarError } from './grammar-error.ts';
import { checkGrowth } from './grammar-growth.ts';

/** llama.cpp writes a repeated part out as often as it may come: 20,000 take about 70 ms, on the event loop. */
const mostWrittenOut = 20_000;
/** It compares the ways to go on from one place with each other: 2,000 take about 40 ms. */
const mostWays = 2000;
const deepestGroup = 200;
const longest = 512 * 1024;

const token = /"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|#[^\n]*|::=|\{\s*(\d+)\s*(?:,\s*(\d*)\s*)?\}|[|?*+().]|[\w-]+/gs;

/**
 * Refuses a grammar that llama.cpp would take long over, or never end with: nothing can interrupt it
 * (docs/decisions/grammar-cost.md).
 */
export function checkGrammarCost(text: string): void {
  checkReading(text);
  const grammar = parseGbnf(text);
  checkBeginnings(grammar);
  checkGrowth(grammar);
}

/** Refuses a grammar that llama.cpp would take long to read, with every other request waiting. */
function checkReading(grammar: string): void {
  if (grammar.length > longest) throw new GrammarError('makes too large a grammar');
  let [written, ways, last] = [0, 0, 0];
  // The sizes of the groups that are open, written out: repetitions within repetitions multiply.
  const sizes = [0];
  const add = (size: number): void => {
    sizes.push((sizes.pop() ?? 0) + size);
    last = size;
  };
  for (const { 0: text, 1: least, 2: most } of grammar.matchAll(token)) {
    if (text === '::=') ways = 0;
    else if (text === '(') sizes.push(0);
    else if (text === ')') add(sizes.pop() ?? 0);
    else if (text === '|' || text === '?' || text === '*') ways++;
    else if (least !== undefined) {
      const more = Math.max(Number(least), Number(most ?? 0)) * last;
      written += more;
      add(more);
    } else add(text.startsWith('"') ? text.length : 1);
    if (sizes.length > deepestGroup) throw new GrammarError('is nested too deeply');
    if (ways > mostWays) throw new GrammarError(`has more than ${mostWays} alternatives in one place`);
    if (written > mostWrittenOut) throw new GrammarError('repeats too much: lower what may come many times');
  }
}

/** llama.cpp follows every way from the beginning of a rule to a character: so many take about 40 ms. */
const mostSteps = 4000;
/** It copies the rules that it is in at each step: this many take about 20 ms. */
const mostCopied = 250_000;
/** It looks for rules that begin with themselves from each rule anew: this many steps take about 100 ms. */
const mostTogether = 4_000_000;
/** It calls itself for each rule on the way: thousands are harmless. */
const deepestRule = 4000;

/** What it takes to find the characters that a rule can begin with. */
interface Beginning {
  readonly steps: number;
  /** The rules that are gone back to afterwards, added up over the steps. */
  readonly copied: number;
  readonly depth: number;
}

/** A symbol that a rule can begin with. */
interface First {
  readonly symbol: GrammarSymbol;
  readonly isLast: boolean;
}

/** Refuses a grammar whose rules begin with themselves, or in too many ways. */
function checkBeginnings({ rules }: Grammar): void {
  const firsts = firstSymbols(rules);
  const known = new Map<number, Beginning>();
  let together = 0;
  for (const start of rules.keys())
    for (const number of unknownWithin(start, { rules, firsts, known })) {
      const beginning = measure(rules[number] as GrammarRule, firsts[number] ?? [], known);
      known.set(number, beginning);
      together += beginning.steps;
      if (together > mostTogether) throw new GrammarError('is too ambiguous: its rules begin in too many ways');
    }
}

interface Walk {
  readonly rules: readonly GrammarRule[];
  readonly firsts: readonly (readonly First[])[];
  /** Filled between the steps. */
  readonly known: ReadonlyMap<number, Beginning>;
}

/** The rule and those that it can begin with, each after its own, as far as they are not known yet. */
function* unknownWithin(start: number, { rules, firsts, known }: Walk): Generator<number> {
  const path: { readonly number: number; readonly rest: Iterator<First, undefined> }[] = [];
  const open = new Set<number>();
  const enter = (number: number): void => {
    if (known.has(number)) return;
    const name = rules[number]?.name;
    if (open.has(number))
      throw new GrammarError(`the rule ${name} can begin with itself: let something come before it, or repeat with *`);
    if (path.length >= deepestRule)
      throw new GrammarError(`the rule ${name} leads through more than ${deepestRule} rules to its first character`);
    open.add(number);
    path.push({ number, rest: (firsts[number] ?? []).values() });
  };
  enter(start);
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const { value: first } = top.rest.next();
    if (typeof first?.symbol === 'number') enter(first.symbol);
    if (first) continue;
    path.pop();
    open.delete(top.number);
    yield top.number;
  }
}

function measure({ name }: GrammarRule, firsts: readonly First[], known: ReadonlyMap<number, Beginning>): Beginning {
  let [steps, copied, depth] = [1, 0, 1];
  for (const { symbol, isLast } of firsts) {
    const inner = typeof symbol === 'number' ? (known.get(symbol) as Beginning) : { steps: 1, copied: 0, depth: 0 };
    steps += inner.steps;
    copied += inner.copied + (isLast ? 0 : inner.steps);
    depth = Math.max(depth, inner.depth + 1);
  }
  if (steps > mostSteps || copied > mostCopied)
    throw new GrammarError(`is too ambiguous: the rule ${name} can begin in too many ways`);
  if (depth > deepestRule)
    throw new GrammarError(`the rule ${name} leads through more than ${deepestRule} rules to its first character`);
  return { steps, copied, depth };
}

/** What each rule can begin with: its first symbols, and those behind symbols that can be empty. */
function firstSymbols(rules: readonly GrammarRule[]): First[][] {
  const empty = emptyRules(rules);
  return rules.map(({ sequences, isLoop }, number) => {
    const firsts: First[] = [];
    for (const sequence of sequences)
      for (const [at, symbol] of sequence.entries()) {
        // llama.cpp has been in the loop already.
        if (isLoop && symbol === number) break;
        firsts.push({ symbol, isLast: at + 1 === sequence.length });
        if (typeof symbol !== 'number' || !empty.has(symbol)) break;
      }
    return firsts;
  });
}

/** The numbers of the rules that need no character. */
function emptyRules(rules: readonly GrammarRule[]): ReadonlySet<number> {
  const users = new Map<number, Set<number>>();
  for (const [user, { sequences }] of rules.entries())
    for (const symbol of sequences.flat())
      if (typeof symbol === 'number') users.set(symbol, (users.get(symbol) ?? new Set()).add(user));
  const empty = new Set<number>();
  const isEmpty = (number: number): boolean =>
    (rules[number] as GrammarRule).sequences.some((sequence) =>
      sequence.every((symbol) => typeof symbol === 'number' && empty.has(symbol)),
    );
  const waiting = [...rules.keys()];
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    if (empty.has(number) || !isEmpty(number)) continue;
    empty.add(number);
    waiting.push(...(users.get(number) ?? []));
  }
  return empty;
}

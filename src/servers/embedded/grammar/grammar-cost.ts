import { type Grammar, type GrammarRule, type GrammarSymbol, parseGbnf } from './gbnf.ts';
import { GrammarError } from './grammar-error.ts';
import { checkGrowth } from './grammar-growth.ts';

/** llama.cpp expands repetitions: 20,000 symbols take about 70 ms, on the event loop. */
const mostWrittenOut = 20_000;
/** It compares the alternatives of one position with each other: 2,000 take about 40 ms. */
const mostWays = 2000;
const deepestGroup = 200;
const longest = 512 * 1024;

const token = /"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|#[^\n]*|::=|\{\s*(\d+)\s*(?:,\s*(\d*)\s*)?\}|[|?*+().]|[\w-]+/gs;

/**
 * Rejects a grammar that would take llama.cpp too long or forever: nothing can interrupt it
 * (docs/decisions/grammar-cost.md).
 */
export function checkGrammarCost(text: string): void {
  checkReading(text);
  const grammar = parseGbnf(text);
  checkStarts(grammar);
  checkGrowth(grammar);
}

/** Rejects a grammar that llama.cpp would take long to parse while every other request waits. */
function checkReading(grammar: string): void {
  if (grammar.length > longest)
    throw new GrammarError(`the grammar is too large: at most ${longest} characters are supported`);
  let [written, ways, last] = [0, 0, 0];
  // The expanded sizes of the open groups: nested repetitions multiply.
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
    if (sizes.length > deepestGroup)
      throw new GrammarError(`the grammar is nested too deeply: at most ${deepestGroup} levels are supported`);
    if (ways > mostWays) throw new GrammarError(`the grammar has more than ${mostWays} alternatives in one rule`);
    if (written > mostWrittenOut)
      throw new GrammarError('the grammar has too many repetitions: lower their upper limits');
  }
}

/** llama.cpp follows every path from the start of a rule to a character: this many take about 40 ms. */
const mostSteps = 4000;
/** It copies its stack of rules at each step: this many take about 20 ms. */
const mostCopied = 250_000;
/** It searches for left recursion again from each rule: this many steps take about 100 ms. */
const mostTogether = 4_000_000;
/** It recurses for each rule on the path: thousands are harmless. */
const deepestRule = 4000;

/** The cost of finding the characters that a rule can start with. */
interface StartCost {
  readonly steps: number;
  /** The rules on the stack, summed over the steps. */
  readonly copied: number;
  readonly depth: number;
}

/** A symbol that a rule can start with. */
interface First {
  readonly symbol: GrammarSymbol;
  readonly isLast: boolean;
}

/** Rejects a grammar whose rules are left-recursive, or can start in too many ways. */
function checkStarts({ rules }: Grammar): void {
  const firsts = firstSymbols(rules);
  const known = new Map<number, StartCost>();
  let together = 0;
  for (const start of rules.keys())
    for (const number of unknownWithin(start, { rules, firsts, known })) {
      const cost = measure(rules[number] as GrammarRule, firsts[number] ?? [], known);
      known.set(number, cost);
      together += cost.steps;
      if (together > mostTogether)
        throw new GrammarError('the grammar is too ambiguous: its rules can start in too many ways');
    }
}

interface Walk {
  readonly rules: readonly GrammarRule[];
  readonly firsts: readonly (readonly First[])[];
  /** Filled between the steps. */
  readonly known: ReadonlyMap<number, StartCost>;
}

/** The rule and those that it can start with, each after the ones that it starts with, without the known ones. */
function* unknownWithin(start: number, { rules, firsts, known }: Walk): Generator<number> {
  const path: { readonly number: number; readonly rest: Iterator<First, undefined> }[] = [];
  const open = new Set<number>();
  const enter = (number: number): void => {
    if (known.has(number)) return;
    const name = rules[number]?.name;
    if (open.has(number))
      throw new GrammarError(
        `the rule ${name} is left-recursive: put something before the recursion, or repeat with *`,
      );
    if (path.length >= deepestRule)
      throw new GrammarError(`the rule ${name} needs more than ${deepestRule} rules to reach its first character`);
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

function measure({ name }: GrammarRule, firsts: readonly First[], known: ReadonlyMap<number, StartCost>): StartCost {
  let [steps, copied, depth] = [1, 0, 1];
  for (const { symbol, isLast } of firsts) {
    const inner = typeof symbol === 'number' ? (known.get(symbol) as StartCost) : { steps: 1, copied: 0, depth: 0 };
    steps += inner.steps;
    copied += inner.copied + (isLast ? 0 : inner.steps);
    depth = Math.max(depth, inner.depth + 1);
  }
  if (steps > mostSteps || copied > mostCopied)
    throw new GrammarError(`the grammar is too ambiguous: the rule ${name} can start in too many ways`);
  if (depth > deepestRule)
    throw new GrammarError(`the rule ${name} needs more than ${deepestRule} rules to reach its first character`);
  return { steps, copied, depth };
}

/** The symbols that each rule can start with: its first ones, and those after symbols that can be empty. */
function firstSymbols(rules: readonly GrammarRule[]): First[][] {
  const empty = emptyRules(rules);
  return rules.map(({ sequences, isLoop }, number) => {
    const firsts: First[] = [];
    for (const sequence of sequences)
      for (const [at, symbol] of sequence.entries()) {
        // llama.cpp has already visited the loop.
        if (isLoop && symbol === number) break;
        firsts.push({ symbol, isLast: at + 1 === sequence.length });
        if (typeof symbol !== 'number' || !empty.has(symbol)) break;
      }
    return firsts;
  });
}

/** The numbers of the rules that match the empty text. */
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

import {
  type Alternatives,
  type CharacterRange,
  GrammarError,
  type GrammarNode,
  type GrammarRule,
  grammarError,
  readGrammar,
} from './grammar-reader.ts';

/** The longest grammar that is taken, in characters, and with its repetitions written out. */
const longestGrammar = 65_536;
const mostWrittenOut = 100_000;
const mostRules = 1000;

export interface GrammarOptions {
  /** Whether a rule may begin with itself. Libraries of older releases never finish with a rule that does. */
  readonly allowsLeftRecursion: boolean;
}

/**
 * A grammar in the notation that xgrammar and llguidance share: one rule a line, with names and escapes that both read
 * in the same way. Throws a GrammarError for a syntax error, a rule that is missing, defined twice or without an end, or
 * a size beyond the limits.
 */
export function sharedGrammar(text: string, { allowsLeftRecursion }: GrammarOptions): string {
  if (text.length > longestGrammar) throw new GrammarError(`is longer than ${longestGrammar} characters.`);
  if (isLark(text))
    throw new GrammarError(
      'is in the notation of Lark. Write it as EBNF: rules such as root ::= "text", one named root.',
    );
  const rules = readGrammar(text);
  if (rules.length > mostRules) throw new GrammarError(`has more than ${mostRules} rules.`);
  const byName = new Map<string, GrammarRule>();
  for (const rule of rules) {
    if (byName.has(rule.name)) throw grammarError('it is defined twice', { text, at: rule.at, rule: rule.name });
    byName.set(rule.name, rule);
  }
  const hollow = rules.find(({ alternatives }) => alternatives.length === 1 && alternatives[0]?.length === 0);
  if (hollow) throw grammarError('it is empty: write "" for no text', { text, ...positionOf(hollow) });
  if (!byName.has('root')) throw new GrammarError('has no rule root, which is where a response begins.');
  for (const rule of rules) checkReferences(rule, byName, text);
  if (writtenOut(rules) > mostWrittenOut)
    throw new GrammarError(`repeats too much: written out it has more than ${mostWrittenOut} characters.`);
  const endless = findEndless(rules);
  if (endless)
    throw grammarError('it never ends: each alternative needs the rule itself', { text, ...positionOf(endless) });
  const recursive = allowsLeftRecursion ? undefined : findLeftRecursive(rules);
  if (recursive)
    throw grammarError('it begins with itself, which this release does not support', {
      text,
      ...positionOf(recursive),
    });
  return written(rules);
}

/** Rules such as `start: "a"` or `%import`, and no rule of EBNF. */
function isLark(text: string): boolean {
  return !text.includes('::=') && /^[ \t]*(?:[?!]?\w+(?:\.\d+)?[ \t]*:(?!=)|%\w+)/m.test(text);
}

function positionOf({ at, name }: GrammarRule): { readonly at: number; readonly rule: string } {
  return { at, rule: name };
}

function checkReferences(rule: GrammarRule, byName: ReadonlyMap<string, GrammarRule>, text: string): void {
  for (const node of nodesIn(rule.alternatives))
    if (node.kind === 'rule' && !byName.has(node.name))
      throw grammarError(`the rule ${node.name.slice(0, 60)} is not defined`, { text, at: node.at, rule: rule.name });
}

/** Every node, those within groups and repetitions too. */
function* nodesIn(alternatives: Alternatives): Generator<GrammarNode> {
  for (const node of alternatives.flat()) {
    yield node;
    if (node.kind === 'group') yield* nodesIn(node.alternatives);
    if (node.kind === 'repeat') yield* nodesIn([[node.node]]);
  }
}

/** How long a grammar is with its repetitions written out; nested ones multiply. */
function writtenOut(rules: readonly GrammarRule[]): number {
  const sizeOf = (node: GrammarNode): number => {
    if (node.kind === 'text') return 1 + node.text.length;
    if (node.kind === 'class') return 1 + node.ranges.length;
    if (node.kind === 'group') return 1 + sizeOfAll(node.alternatives);
    if (node.kind === 'repeat') return sizeOf(node.node) * Math.max(node.least, node.most ?? 0, 1);
    return 1;
  };
  const sizeOfAll = (alternatives: Alternatives): number =>
    alternatives.flat().reduce((sum, node) => sum + sizeOf(node), alternatives.length);
  return rules.reduce((sum, { alternatives }) => sum + sizeOfAll(alternatives), 0);
}

/** A rule that no text can complete; undefined: there is none. */
function findEndless(rules: readonly GrammarRule[]): GrammarRule | undefined {
  const ending = settled(rules, (rule, known) => {
    const ends = (node: GrammarNode): boolean => {
      if (node.kind === 'rule') return known.has(node.name);
      if (node.kind === 'group') return node.alternatives.some((sequence) => sequence.every(ends));
      return node.kind !== 'repeat' || node.least === 0 || ends(node.node);
    };
    return rule.alternatives.some((sequence) => sequence.every(ends));
  });
  return rules.find(({ name }) => !ending.has(name));
}

/** A rule that may begin with itself before any character; undefined: there is none. */
function findLeftRecursive(rules: readonly GrammarRule[]): GrammarRule | undefined {
  const empty = settled(rules, ({ alternatives }, known) => alternatives.some((each) => each.every(isEmptyBy(known))));
  const isEmpty = isEmptyBy(empty);
  const firstIn = (alternatives: Alternatives): string[] =>
    alternatives.flatMap((sequence) => {
      const end = sequence.findIndex((node) => !isEmpty(node));
      return sequence.slice(0, end === -1 ? undefined : end + 1).flatMap(firstOf);
    });
  const firstOf = (node: GrammarNode): string[] => {
    if (node.kind === 'rule') return [node.name];
    if (node.kind === 'group') return firstIn(node.alternatives);
    return node.kind === 'repeat' ? firstOf(node.node) : [];
  };
  const firsts = new Map(rules.map(({ name, alternatives }) => [name, new Set(firstIn(alternatives))]));
  return rules.find(({ name }) => reaches(name, firsts));
}

function reaches(name: string, firsts: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const seen = new Set<string>();
  const waiting = [...(firsts.get(name) ?? [])];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === name) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    waiting.push(...(firsts.get(next) ?? []));
  }
  return false;
}

const isEmptyBy = (known: ReadonlySet<string>) => {
  const isEmpty = (node: GrammarNode): boolean => {
    if (node.kind === 'text') return node.text === '';
    if (node.kind === 'rule') return known.has(node.name);
    if (node.kind === 'group') return node.alternatives.some((sequence) => sequence.every(isEmpty));
    return node.kind === 'repeat' && (node.least === 0 || isEmpty(node.node));
  };
  return isEmpty;
};

/** The names of the rules for which something holds, where it may hold for one because it holds for others. */
function settled(
  rules: readonly GrammarRule[],
  holds: (rule: GrammarRule, known: ReadonlySet<string>) => boolean,
): ReadonlySet<string> {
  const known = new Set<string>();
  for (let before = -1; before < known.size; ) {
    before = known.size;
    for (const rule of rules) if (!known.has(rule.name) && holds(rule, known)) known.add(rule.name);
  }
  return known;
}

/** Rules have names of ours: the libraries give some names a meaning, and change the case of others. */
function written(rules: readonly GrammarRule[]): string {
  const names = new Map(rules.map(({ name }, at) => [name, name === 'root' ? name : `r${at}`]));
  const added: string[] = [];
  const alternativesText = (alternatives: Alternatives): string => alternatives.map(sequenceText).join(' | ');
  const sequenceText = (nodes: readonly GrammarNode[]): string => nodes.map(nodeText).join(' ') || '""';
  const repeatedText = (node: GrammarNode): string => {
    const inner = unwrapped(node);
    if (inner.kind !== 'repeat') return nodeText(inner);
    // llguidance loses the group around a repetition, and then cannot read the repetition of it.
    const name = `n${added.length}`;
    added.push('');
    added[Number(name.slice(1))] = `${name} ::= ${nodeText(inner)}`;
    return name;
  };
  const nodeText = (node: GrammarNode): string => {
    if (node.kind === 'text') return textOf(node.text);
    if (node.kind === 'class') return `[${node.isNegated ? '^' : ''}${rangesText(node.ranges)}]`;
    if (node.kind === 'rule') return names.get(node.name) ?? node.name;
    if (node.kind === 'group') return `(${alternativesText(node.alternatives)})`;
    return repeatedText(node.node) + boundsText(node);
  };
  const lines = rules.map(({ name, alternatives }) => `${names.get(name)} ::= ${alternativesText(alternatives)}`);
  return [...lines, ...added].join('\n');
}

/** The only part of a group without alternatives and with one part; any other node as it is. */
function unwrapped(node: GrammarNode): GrammarNode {
  if (node.kind !== 'group' || node.alternatives.length !== 1) return node;
  const [only, second] = node.alternatives[0] ?? [];
  return only !== undefined && second === undefined ? unwrapped(only) : node;
}

const controls = /((?![\n\r\t])\p{Cc})/u;

/** A text; its control characters are classes beside it. */
function textOf(text: string): string {
  const parts = text.split(controls).filter((part) => part !== '');
  const written = parts.map((part) => (controls.test(part) ? `[${inClass(part.charCodeAt(0))}]` : quoted(part)));
  return written.length > 1 ? `(${written.join(' ')})` : (written[0] ?? '""');
}

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\\n\r\t]/g, (character) => shortEscapes[character] ?? `\\${character}`)}"`;
}

/** xgrammar reads on behind the two digits of an escape, so ranges that end with one come last. */
function rangesText(ranges: readonly CharacterRange[]): string {
  const texts = ranges.map(([first, last]) => (first === last ? inClass(first) : `${inClass(first)}-${inClass(last)}`));
  const isEscaped = (text: string): boolean => /\\x..$/.test(text);
  return [...texts.filter((text) => !isEscaped(text)), ...texts.filter(isEscaped)].join('');
}

function inClass(code: number): string {
  const character = String.fromCodePoint(code);
  if (code >= 0x80 || /\w/.test(character)) return character;
  return `\\x${code.toString(16).padStart(2, '0')}`;
}

function boundsText({ least, most }: { readonly least: number; readonly most: number | undefined }): string {
  if (most === undefined && least < 2) return least === 0 ? '*' : '+';
  if (least === 0 && most === 1) return '?';
  return least === most ? `{${least}}` : `{${least},${most ?? ''}}`;
}

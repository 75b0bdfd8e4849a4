import type { CharacterSet } from '../../../patterns/character-set.ts';
import type { Grammar, GrammarRule, GrammarSymbol } from './gbnf.ts';
import { GrammarError } from './grammar-error.ts';

/** A typical token length: for each token to choose, llama.cpp parses each token of the vocabulary in every way. */
const longest = 16;
/** About 200 ms if a token can be parsed in this many ways. */
const mostPaths = 200_000;
/** The parser continues all open paths at each following character. */
const mostOpen = 2000;
/** How many of the tried texts are continued. */
const breadth = 2;
const mostCharacters = 12;
/** About 20 ms. */
const mostSteps = 20_000;
/** If the steps are used up early, many paths to few positions are a sign of many more. */
const manyPaths = 1000;
const pathsForEach = 4;

/** Rejects a grammar that can parse a few characters in so many ways that llama.cpp would not terminate. */
export function checkGrowth(grammar: Grammar): void {
  const stacks = new GrammarStacks(grammar, mostSteps);
  for (const rule of new Set([grammar.root, ...grammar.rules])) {
    if (stacks.isSpent) return;
    if (grows(stacks, rule))
      throw new GrammarError(
        `the grammar is too ambiguous: the start of the rule ${rule.name} can be parsed in more ways with each character`,
      );
  }
}

/** Whether the paths become too many from the start of the rule on, with the characters that lead to the most. */
function grows(stacks: GrammarStacks, rule: GrammarRule): boolean {
  const start = stacks.begin(rule);
  let texts: readonly TriedText[] = [{ readings: start, paths: start.size }];
  for (let length = 0; length < longest && texts.length > 0; length++) {
    if (stacks.isSpent) return texts.some(isCrowded);
    const longer = texts.flatMap(({ readings }) =>
      stacks.characters(readings, mostCharacters).map((character) => textOf(stacks.read(readings, character))),
    );
    if (longer.some(({ readings, paths }) => paths > mostPaths || readings.size > mostOpen)) return true;
    texts = longer.toSorted((a, b) => b.paths - a.paths).slice(0, breadth);
  }
  return false;
}

interface TriedText {
  readonly readings: ReadingCounts;
  readonly paths: number;
}

function isCrowded({ readings, paths }: TriedText): boolean {
  return paths > manyPaths && paths > pathsForEach * readings.size;
}

function textOf(readings: ReadingCounts): TriedText {
  let paths = 0;
  for (const count of readings.values()) paths += count;
  return { readings, paths };
}

/** A position in a sequence, and the positions to return to at its end. Equal stacks are the same object. */
interface Stack {
  readonly sequence: readonly GrammarSymbol[];
  readonly at: number;
  readonly below: Stack | undefined;
  readonly above: Map<readonly GrammarSymbol[], (Stack | undefined)[]>;
}

/** The ways to parse a text so far, each with how often llama.cpp would follow it. */
type ReadingCounts = ReadonlyMap<Stack, number>;

/** Parses characters like llama.cpp: in every way at once. */
class GrammarStacks {
  readonly #rules: readonly GrammarRule[];
  readonly #bottoms: Stack['above'] = new Map();
  readonly #after = new Map<Stack, readonly Stack[]>();
  #steps: number;

  /** Stops after this many steps. */
  constructor({ rules }: Grammar, mostSteps: number) {
    this.#rules = rules;
    this.#steps = mostSteps;
  }

  /** Whether its steps are used up: the result is incomplete then. */
  get isSpent(): boolean {
    return this.#steps <= 0;
  }

  /** Before the first character of a rule. */
  begin(rule: GrammarRule): ReadingCounts {
    const stacks = rule.sequences.map((sequence) => this.#stack(sequence, 0, undefined));
    return new Map(this.#expanded(stacks).map((stack) => [stack, 1]));
  }

  /** After one more character. */
  read(readings: ReadingCounts, character: number): ReadingCounts {
    const next = new Map<Stack, number>();
    for (const [stack, count] of readings) {
      if (this.isSpent) break;
      this.#steps -= 1;
      if (!includes(setOf(stack), character)) continue;
      for (const after of this.#behind(stack)) next.set(after, (next.get(after) ?? 0) + count);
    }
    return next;
  }

  /** Characters that represent all possible next ones: the first of each set. */
  characters(readings: ReadingCounts, most: number): readonly number[] {
    const found = new Set<number>();
    for (const stack of readings.keys())
      for (const [from] of setOf(stack)) {
        if (found.size >= most) return [...found];
        found.add(from);
      }
    return [...found];
  }

  #behind(stack: Stack): readonly Stack[] {
    const known = this.#after.get(stack);
    if (known) return known;
    const after = this.#expanded([this.#stack(stack.sequence, stack.at + 1, stack.below)]);
    this.#after.set(stack, after);
    return after;
  }

  /** The stacks whose next symbol is a character, reached from these; the end of the text is none. */
  #expanded(stacks: readonly (Stack | undefined)[]): readonly Stack[] {
    const seen = new Set<Stack | undefined>();
    const before: Stack[] = [];
    const waiting = [...stacks];
    while (waiting.length > 0) {
      const stack = waiting.pop();
      if (stack === undefined || seen.has(stack)) continue;
      seen.add(stack);
      this.#steps -= 1;
      const symbol = stack.sequence[stack.at] as GrammarSymbol;
      if (typeof symbol !== 'number') before.push(stack);
      else {
        const below = this.#stack(stack.sequence, stack.at + 1, stack.below);
        for (const sequence of (this.#rules[symbol] as GrammarRule).sequences)
          waiting.push(this.#stack(sequence, 0, below));
      }
    }
    return before;
  }

  #stack(sequence: readonly GrammarSymbol[], at: number, below: Stack | undefined): Stack | undefined {
    if (at >= sequence.length) return below;
    const above = below?.above ?? this.#bottoms;
    const stacks = above.get(sequence) ?? [];
    above.set(sequence, stacks);
    return (stacks[at] ??= { sequence, at, below, above: new Map() });
  }
}

function setOf({ sequence, at }: Stack): CharacterSet {
  return sequence[at] as CharacterSet;
}

function includes(set: CharacterSet, character: number): boolean {
  return set.some(([from, to]) => from <= character && character <= to);
}

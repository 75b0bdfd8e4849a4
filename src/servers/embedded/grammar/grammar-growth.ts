import type { Grammar, GrammarRule } from './gbnf.ts';
import { GrammarError } from './grammar-error.ts';
import { GrammarStacks, type Readings } from './grammar-stacks.ts';

/** As long as most tokens are: llama.cpp reads each token of the vocabulary in every way, for each token that it chooses. */
const longest = 16;
/** About 200 ms, where a token is read in so many ways. */
const mostPaths = 200_000;
/** Ways that stay open are gone on with at each of the characters that follow. */
const mostOpen = 2000;
/** The texts that are gone on with, of all that were tried. */
const breadth = 2;
const mostCharacters = 12;
/** About 20 ms. */
const mostSteps = 20_000;
/** Where the steps are used up early, so many ways to so few places are a sign of many more. */
const manyPaths = 1000;
const pathsForEach = 4;

/** Refuses a grammar in which a few characters can be read in so many ways that llama.cpp would not come to an end. */
export function checkGrowth(grammar: Grammar): void {
  const stacks = new GrammarStacks(grammar, mostSteps);
  for (const rule of new Set([grammar.root, ...grammar.rules])) {
    if (stacks.isSpent) return;
    if (grows(stacks, rule))
      throw new GrammarError(
        `is too ambiguous: what the rule ${rule.name} begins with can be read in more ways with each character`,
      );
  }
}

/** Whether the ways become too many, with the characters that lead to the most, from the beginning of the rule on. */
function grows(stacks: GrammarStacks, rule: GrammarRule): boolean {
  const beginning = stacks.begin(rule);
  let texts: readonly Text[] = [{ readings: beginning, paths: beginning.size }];
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

interface Text {
  readonly readings: Readings;
  readonly paths: number;
}

function isCrowded({ readings, paths }: Text): boolean {
  return paths > manyPaths && paths > pathsForEach * readings.size;
}

function textOf(readings: Readings): Text {
  let paths = 0;
  for (const count of readings.values()) paths += count;
  return { readings, paths };
}

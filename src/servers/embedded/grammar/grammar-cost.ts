import { GrammarError } from './grammar-error.ts';

/** llama.cpp writes a repeated part out as often as it may come: 20,000 take about 70 ms, on the event loop. */
const mostWrittenOut = 20_000;
/** It compares the ways to go on from one place with each other: 2,000 take about 40 ms. */
const mostWays = 2000;
const deepest = 200;
const longest = 512 * 1024;

const token = /"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|#[^\n]*|::=|\{\s*(\d+)\s*(?:,\s*(\d*)\s*)?\}|[|?*+().]|[\w-]+/gs;

/** Refuses a grammar that llama.cpp would take long to read, with every other request waiting. */
export function checkGrammarCost(grammar: string): void {
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
    if (sizes.length > deepest) throw new GrammarError('is nested too deeply');
    if (ways > mostWays) throw new GrammarError(`has more than ${mostWays} alternatives in one place`);
    if (written > mostWrittenOut) throw new GrammarError('repeats too much: lower what may come many times');
  }
}

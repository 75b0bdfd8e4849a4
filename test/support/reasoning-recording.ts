import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { ReasoningFormat, ReasoningParser, ReasoningSink } from '../../src/output/reasoning/reasoning-parser.ts';

export type Part = { readonly reasoning: string } | { readonly text: string };

/** A sink for tests: it records what it is given, with neighbouring pieces put together. */
export class Recording implements ReasoningSink {
  readonly given: { reasoning?: string; text?: string }[] = [];

  reasoning(reasoning: string): void {
    if (reasoning === '') throw new Error('Empty reasoning was given.');
    const last = this.given.at(-1);
    if (last?.reasoning === undefined) this.given.push({ reasoning });
    else last.reasoning += reasoning;
  }

  text(text: string): void {
    if (text === '') throw new Error('Empty text was given.');
    const last = this.given.at(-1);
    if (last?.text === undefined) this.given.push({ text });
    else last.text += text;
  }
}

/** What a parser gives for an answer that comes in these pieces. */
export function run(parser: ReasoningParser, pieces: Iterable<string>): readonly Part[] {
  const recording = new Recording();
  for (const piece of pieces) parser.push(piece, recording);
  parser.end(recording);
  return recording.given as readonly Part[];
}

/** The same however the text is cut. */
export function parse({ format, prompt = '', text }: { format: ReasoningFormat; prompt?: string; text: string }) {
  const result = run(format.parser({ prompt }), [text]);
  expect(run(format.parser({ prompt }), text.split(''))).toEqual(result);
  const differing: unknown[] = [];
  for (let at = 1; at < text.length; at++) {
    const other = run(format.parser({ prompt }), [text.slice(0, at), '', text.slice(at)]);
    if (!isDeepStrictEqual(other, result)) differing.push({ at, other });
  }
  expect(differing).toEqual([]);
  return result;
}

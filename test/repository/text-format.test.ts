import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { protocol } from '../../src/kserve/control-codec.ts';
import { readTextFormat } from '../../src/repository/pbtxt/read-text-format.ts';
import { TextFormatError } from '../../src/repository/pbtxt/text-format-error.ts';
import { writeTextFormat } from '../../src/repository/pbtxt/write-text-format.ts';
import { inRoot } from '../support/environment.ts';
import { python } from '../support/python.ts';

const type = protocol().lookupType('inference.ModelConfig');
const corpus = inRoot('test/repository/corpus');

interface Sample {
  readonly text: string;
  readonly bytes: string;
}

async function ask<Response>(task: unknown): Promise<Response> {
  const { stdout, stderr } = await python('test/repository/text_format.py', [], { input: JSON.stringify(task) });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Response;
}

const read = (text: string, file = 'text') => readTextFormat(text, { type, file }).message;

function bytesOf(text: string, file?: string): string {
  return Buffer.from(type.encode(type.fromObject(read(text, file))).finish()).toString('base64');
}

function tolerant(text: string): string | undefined {
  try {
    return bytesOf(text);
  } catch (error) {
    if (error instanceof TextFormatError) return undefined;
    throw error;
  }
}

it('reads files in the styles of the wild to what Google’s own reader makes of them, and so does what we write', async () => {
  const files = readdirSync(corpus);
  const texts = files.map((name) => readFileSync(join(corpus, name), 'utf8'));
  const samples = texts.map((text, at) => ({ text, bytes: bytesOf(text, files[at]) }));
  const written = texts.map((text, at) => ({ text: writeTextFormat(read(text), type), bytes: samples[at]?.bytes }));
  const verdicts = await ask<string[]>({ check: [...samples, ...written] });
  // Triton takes a sign that stands apart from its number, the reader for Python does not.
  const unlike = verdicts.flatMap((verdict, at) => (verdict === 'equal' ? [] : [[files[at], verdict]]));
  expect(unlike).toEqual([['ensemble.pbtxt', expect.stringContaining("Couldn't parse integer: -")]]);
});

it('reads random messages that Google’s writer has printed in every way it has', async () => {
  const samples = await ask<Sample[]>({ generate: 60, seed: 11 });
  expect(samples.length).toBe(420);
  const check = samples.map(({ text }) => ({ text, bytes: bytesOf(text) }));
  const rewritten = samples.map(({ text }) => ({ text: writeTextFormat(read(text), type), bytes: bytesOf(text) }));
  const verdicts = await ask<string[]>({ check: [...check, ...rewritten] });
  expect(verdicts.filter((verdict) => verdict !== 'equal')).toEqual([]);
});

it('never reads a damaged text to something else than Google’s reader does', async () => {
  const samples = await ask<Sample[]>({ generate: 12, seed: 5 });
  const damaged = samples.flatMap(({ text }, at) => [...damage(text, at)]);
  const survivors = damaged.flatMap((text) => {
    const bytes = tolerant(text);
    return bytes === undefined ? [] : [{ text, bytes }];
  });
  expect(survivors.length).toBeGreaterThan(100);
  const verdicts = await ask<string[]>({ check: survivors });
  expect(verdicts.filter((verdict) => verdict.startsWith('differs'))).toEqual([]);
  const refused = verdicts.filter((verdict) => verdict.startsWith('refused'));
  expect(
    refused.filter((verdict) => !/Couldn't parse (integer|float): -|Expected "true" or "false"/.test(verdict)),
  ).toEqual([]);
});

/** Takes a piece out, doubles it or moves it; the same in every run. */
function* damage(text: string, seed: number): Generator<string> {
  const characters = Array.from(text);
  for (let round = 0; round < 20; round++) {
    const at = (seed * 7919 + round * 104_729) % (characters.length + 1);
    const piece = characters.slice(at, at + ((seed + round) % 9));
    const without = characters.toSpliced(at, piece.length);
    const elsewhere = (at * 31 + round) % (without.length + 1);
    yield without.join('');
    yield characters.toSpliced(at, 0, ...piece).join('');
    yield without.toSpliced(elsewhere, 0, ...piece).join('');
  }
}

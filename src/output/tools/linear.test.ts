import { describe, expect, it } from 'vitest';
import { fixtures } from '../../../test/support/tool-fixtures.ts';
import { Recording, tools } from '../../../test/support/tool-recording.ts';
import { namedCallParser, requiredCallsParser } from './guided-calls.ts';
import { llama3Json } from './llama3-json.ts';
import { pythonic } from './pythonic.ts';
import { qwen3Coder } from './qwen3-coder.ts';
import type { ToolParser } from './tool-parser.ts';

const MEGABYTE = 1 << 20;
const AT_ONCE = Number.MAX_SAFE_INTEGER;
/** Of each kind one is tried with more; the others have the same machinery. */
const LONG: ReadonlySet<string> = new Set(['hermes', 'qwen3_coder', 'pythonic']);
const options = { tools, mostHeld: 64 * 1024 };

interface Load {
  readonly name: string;
  readonly text: (length: number) => string;
  readonly parser: () => ToolParser;
  readonly pieceLength: number;
  readonly length: number;
}

/** Arguments with much to escape and to match. */
const longArguments = (length: number) => ({
  query: 'ab"\\{}\n😀'.repeat(length / 10),
  tags: ['x'.repeat(length / 10)],
});

const loads: readonly Load[] = fixtures.flatMap(({ format, way = '', write, malformed }) => {
  const name = way === '' ? format.name : `${format.name}, ${way}`;
  const begin = malformed.slice(0, malformed.indexOf('get_weather') + 'get_weather'.length);
  const parser = () => format.parser(options);
  const call = (length: number) => write([{ name: 'search', arguments: longArguments(length) }]);
  const begins = (length: number) => begin.repeat(length / begin.length);
  const calls = (length: number) => write([{ name: 'ping', arguments: {} }]).repeat(length / 40);
  const most = LONG.has(name) ? MEGABYTE / 4 : MEGABYTE / 16;
  return [
    { name: `${name}: arguments in pieces of 1 KB`, text: call, parser, pieceLength: 1024, length: most },
    { name: `${name}: arguments by character`, text: call, parser, pieceLength: 1, length: most / 2 },
    { name: `${name}: begun calls by character`, text: begins, parser, pieceLength: 1, length: MEGABYTE / 64 },
    { name: `${name}: begun calls at once`, text: begins, parser, pieceLength: AT_ONCE, length: MEGABYTE / 32 },
    { name: `${name}: many calls at once`, text: calls, parser, pieceLength: AT_ONCE, length: MEGABYTE / 32 },
  ];
});

const particulars: readonly Load[] = [1, AT_ONCE].flatMap((pieceLength) => [
  {
    name: `qwen3_coder: tags within a value, ${title(pieceLength)}`,
    text: (length) => `<function=search>\n<parameter=query>\n${'</function> <parameter='.repeat(length / 20)}`,
    parser: () => qwen3Coder.parser(options),
    pieceLength,
    length: MEGABYTE / 16,
  },
  {
    name: `llama3_json: answers in JSON, ${title(pieceLength)}`,
    text: (length) => '[{"name": "ping", "a": [{"b": 1}]}, {"c": 2'.repeat(length / 40),
    parser: () => llama3Json.parser(options),
    pieceLength,
    length: MEGABYTE / 16,
  },
  {
    name: `pythonic: calls of unknown functions, ${title(pieceLength)}`,
    text: (length) => `[${"launch(a='b', c=[(1)]), ".repeat(length / 20)}`,
    parser: () => pythonic.parser(options),
    pieceLength,
    length: MEGABYTE / 16,
  },
]);

const guided: readonly Load[] = [
  {
    name: 'required: long arguments by character',
    text: (length) => `[{"name": "search", "parameters": ${JSON.stringify(longArguments(length))}}]`,
    parser: () => requiredCallsParser(options),
    pieceLength: 1,
    length: MEGABYTE / 16,
  },
  {
    name: 'required: arguments before the name, by character',
    text: (length) => `[{"parameters": {${'"a": 1, '.repeat(length / 8)}"b": 1}, "name": "search"}]`,
    parser: () => requiredCallsParser({ tools, mostHeld: 4 * MEGABYTE }),
    pieceLength: 1,
    length: MEGABYTE / 16,
  },
  {
    name: 'named: long arguments by character',
    text: (length) => JSON.stringify(longArguments(length)),
    parser: () => namedCallParser('search', options),
    pieceLength: 1,
    length: MEGABYTE / 16,
  },
];

describe('the time is linear in the length of the text', { timeout: 60_000 }, () => {
  it.each([...loads, ...particulars, ...guided])('$name', ({ text, parser, pieceLength, length }) => {
    const once = pieces(text(length), pieceLength);
    const twice = pieces(text(2 * length), pieceLength);
    // The shortest of a few runs: others share the machine.
    let ratio = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 5 && ratio >= 3; tries++) {
      const single = cpuTime(parser(), once);
      ratio = Math.min(ratio, cpuTime(parser(), twice) / Math.max(single, 1000));
    }
    expect(ratio).toBeLessThan(3);
  });
});

function title(pieceLength: number): string {
  return pieceLength === AT_ONCE ? 'at once' : 'by character';
}

function pieces(text: string, length: number): readonly string[] {
  const result: string[] = [];
  for (let at = 0; at < text.length; at += length) result.push(text.slice(at, at + length));
  return result;
}

/** Microseconds. */
function cpuTime(parser: ToolParser, text: readonly string[]): number {
  const recording = new Recording();
  const before = process.cpuUsage();
  for (const piece of text) parser.push(piece, recording);
  parser.end(recording);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

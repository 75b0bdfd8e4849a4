import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Call, type FormatFixture, fixtures } from '../../../test/support/tool-fixtures.ts';
import { Recording, run, tools, type Value } from '../../../test/support/tool-recording.ts';
import { toolFormats } from './formats.ts';

const weather: Call = { name: 'get_weather', arguments: { city: 'Paris', days: 3 } };
const search: Call = {
  name: 'search',
  arguments: {
    query: 'say "hi" {\\} ] it\'s\nnew',
    filter: { a: { b: [1, { c: '}"]' }] }, d: {} },
    tags: [['x'], [], 2.5],
    exact: true,
    limit: null,
  },
};
const unicode: Call = { name: 'get_weather', arguments: { city: 'Zürich 😀 漢字 \u2028é', days: -1 } };
const ping: Call = { name: 'ping', arguments: {} };
const unknown: Call = { name: 'launch', arguments: { city: 'Paris' } };

interface Case {
  readonly name: string;
  readonly text: (fixture: FormatFixture) => string;
  readonly given: (fixture: FormatFixture) => readonly Value[];
}

const cases: readonly Case[] = [
  {
    name: 'no call',
    text: () => 'Just { "text": 1 } and [lists](x), a < b, <tool, functool and ``` fences.\n',
    given: () => [{ text: 'Just { "text": 1 } and [lists](x), a < b, <tool, functool and ``` fences.\n' }],
  },
  { name: 'no text', text: () => '', given: () => [] },
  { name: 'blank text', text: () => ' \n\n ', given: () => [{ text: ' \n\n ' }] },
  { name: 'one call', text: ({ write }) => write([weather]), given: (fixture) => inputFor(fixture, [weather]) },
  {
    name: 'one call between blanks',
    text: ({ write }) => `\n\n${write([weather])}\n \n`,
    given: (fixture) => inputFor(fixture, [weather]),
  },
  { name: 'no arguments', text: ({ write }) => write([ping]), given: (fixture) => inputFor(fixture, [ping]) },
  {
    name: 'two calls',
    text: ({ write }) => write([weather, search]),
    given: (fixture) => inputFor(fixture, [weather, search]),
  },
  {
    name: 'two calls apart',
    text: ({ write }) => `${write([search])}\n\n${write([ping])}`,
    given: (fixture) => [...inputFor(fixture, [search]), ...inputFor(fixture, [ping])],
  },
  {
    name: 'text before',
    text: ({ write }) => `Let me look.\n\n${write([weather])}`,
    given: (fixture) => [{ text: 'Let me look.\n' }, ...inputFor(fixture, [weather])],
  },
  {
    name: 'text after',
    text: ({ write }) => `${write([weather])}\n\nThat was it.\n`,
    given: (fixture) => [...inputFor(fixture, [weather]), { text: '\n\nThat was it.\n' }],
  },
  {
    name: 'text between',
    text: ({ write }) => `${write([weather])}\nAnd:\n${write([ping])}`,
    given: (fixture) => [...inputFor(fixture, [weather]), { text: '\nAnd:' }, ...inputFor(fixture, [ping])],
  },
  {
    name: 'nested braces and escaped quotes',
    text: ({ write }) => write([search]),
    given: (fixture) => inputFor(fixture, [search]),
  },
  {
    name: 'unicode',
    text: ({ write }) => `Größe 😀\n${write([unicode])}`,
    given: (fixture) => [{ text: 'Größe 😀' }, ...inputFor(fixture, [unicode])],
  },
  {
    name: 'a malformed call',
    text: ({ malformed }) => `So:\n${malformed}\n`,
    given: ({ malformed }) => [{ text: `So:\n${malformed}\n` }],
  },
  {
    name: 'a call after a malformed one',
    text: ({ malformed, write }) => `${malformed}\n${write([weather])}`,
    given: (fixture) => [{ text: fixture.malformed }, ...inputFor(fixture, [weather])],
  },
  {
    name: 'an unknown function',
    text: ({ write }) => write([unknown]),
    given: ({ write }) => [{ text: write([unknown]) }],
  },
  {
    name: 'a call after one of an unknown function',
    text: ({ write }) => `${write([unknown])}\n${write([weather])}`,
    given: (fixture) => [{ text: fixture.write([unknown]) }, ...inputFor(fixture, [weather])],
  },
  {
    name: 'markers without a call',
    text: ({ format }) => `${format.specialMarkers.at(0) ?? '<tool_call>'} and ${format.specialMarkers.at(0) ?? '['}`,
    given: ({ format }) => [
      { text: `${format.specialMarkers.at(0) ?? '<tool_call>'} and ${format.specialMarkers.at(0) ?? '['}` },
    ],
  },
];

describe.each(fixtures.map((fixture) => [title(fixture), fixture] as const))('%s', (_, fixture) => {
  const parser = (mostHeld = 10_000) => fixture.format.parser({ tools, mostHeld });

  it.each(cases.map((item) => [item.name, item] as const))('%s, however it is cut', (_name, item) => {
    const text = item.text(fixture);
    const expected = item.given(fixture);
    expect(run(parser(), [text])).toEqual(expected);
    expect(run(parser(), Array.from(text))).toEqual(expected);
    expect(run(parser(), text.split(''))).toEqual(expected);
    const differing: unknown[] = [];
    for (let at = 1; at < text.length; at++) {
      const result = run(parser(), [text.slice(0, at), text.slice(at)]);
      if (!isDeepStrictEqual(result, expected)) differing.push({ at, result });
    }
    expect(differing).toEqual([]);
  });

  it('gives a call that ends early as text, or as the arguments so far', () => {
    const whole = fixture.write([search]);
    const lost: unknown[] = [];
    for (let length = 1; length < whole.length; length++) {
      const text = whole.slice(0, length);
      const result = run(parser(), [text]);
      const byCharacter = run(parser(), text.split(''));
      if (!isDeepStrictEqual(byCharacter, result)) lost.push({ text, result, byCharacter });
      if (!isDeepStrictEqual(result, [{ text }]) && !isCutCall(result, fixture.json(search.arguments), text))
        lost.push({ text, result });
    }
    expect(lost).toEqual([]);
  });

  it('gives what it may not hold as text, and finds the next call', () => {
    const begin = fixture.malformed.slice(0, fixture.malformed.indexOf('get_weather'));
    const text = `${begin}${' '.repeat(3000)}\n${fixture.write([weather])}`;
    const expected = run(parser(1000), [text]);
    expect(run(parser(1000), text.split(''))).toEqual(expected);
    expect(expected).toEqual([{ text: `${begin}${' '.repeat(3000)}` }, ...inputFor(fixture, [weather])]);
  });

  it('gives all as text where nothing may be held', () => {
    const text = fixture.write([weather]);
    expect(run(parser(0), [text])).toEqual([{ text }]);
    expect(run(parser(0), text.split(''))).toEqual([{ text }]);
  });

  it('streams the arguments as they come', () => {
    const text = fixture.write([{ name: 'search', arguments: { query: 'x'.repeat(2000) } }]);
    const begin = text.indexOf('xxx');
    const recording = new Recording();
    const reading = parser();
    reading.push(text.slice(0, begin), recording);
    const behind: number[] = [];
    for (let count = 1; count <= 2000; count++) {
      reading.push('x', recording);
      if (recording.argumentLength <= count) behind.push(count);
    }
    expect(behind).toEqual([]);
  });
});

it('has a fixture for every format', () => {
  expect(new Set(fixtures.map(({ format }) => format))).toEqual(new Set(toolFormats));
});

function title({ format, way }: FormatFixture): string {
  return way === undefined ? format.name : `${format.name}, ${way}`;
}

function inputFor({ json, id }: FormatFixture, calls: readonly Call[]): readonly Value[] {
  return calls.map((call, index) => ({
    call: call.name,
    ...(id && { id: id(call, index) }),
    arguments: json(call.arguments),
    isComplete: true,
  }));
}

/** One call: the arguments as far as they came, and behind them only what stood at the end of the text. */
function isCutCall(result: readonly Value[], json: string, text: string): boolean {
  const [call, ...more] = result;
  if (!call || 'text' in call || call.call !== 'search' || !call.isComplete) return false;
  let length = 0;
  while (length < json.length && json[length] === call.arguments[length]) length++;
  const rest = call.arguments.slice(length) + more.map((item) => ('text' in item ? item.text : '?')).join('');
  return text.endsWith(rest.replaceAll('\\n', '\n'));
}

import { describe, expect, it } from 'vitest';
import { type Fixture, fixtures, title } from '../../../test/support/reasoning-fixtures.ts';
import { type Part, parse, Recording, run } from '../../../test/support/reasoning-recording.ts';
import { reasoningFormats } from './formats.ts';

const hm: Part = { reasoning: 'Hm.\n\nSo: a < b && c > `d` - [x](y) <' };
const yes: Part = { text: 'Yes.\n\n    "it" is <b>so</b>: `x` [1]' };
const unicode: readonly Part[] = [{ reasoning: 'Größe 😀' }, { text: '漢字 é\u2028😀' }];

interface Case {
  readonly name: string;
  readonly parts: readonly Part[];
  /** Whether there is reasoning that does not come first, so that something must open it. */
  readonly reasonsLater?: boolean;
}

const cases: readonly Case[] = [
  { name: 'no text', parts: [] },
  { name: 'no reasoning', parts: [yes] },
  { name: 'reasoning, then the answer', parts: [hm, yes] },
  { name: 'reasoning without an answer', parts: [hm] },
  { name: 'empty reasoning', parts: [{ reasoning: '' }, yes] },
  { name: 'unicode', parts: unicode },
  { name: 'two blocks', parts: [hm, { text: 'First.\n\n' }, { reasoning: 'Again.' }, yes], reasonsLater: true },
  { name: 'two blocks at once', parts: [hm, { reasoning: 'Again.' }, yes], reasonsLater: true },
  { name: 'text before', parts: [{ text: 'Wait.\n' }, hm, yes], reasonsLater: true },
  {
    name: 'what looks like markers',
    parts: [
      { reasoning: '<thin </thin> < think> <|chan [THIN] Here is my <|end <|star x' },
      { text: '</thin <thin <|channel> <|start| [/THIN] Here is my thought y' },
    ],
  },
];

describe.each(fixtures.map((fixture) => [title(fixture), fixture] as const))('%s', (_, fixture) => {
  const { format, open, close, withoutReasoning } = fixture;

  const writable = cases.filter(({ reasonsLater }) => open !== '' || !reasonsLater);

  it.each(writable.map((item) => [item.name, item] as const))('%s, however it is cut', (_name, { parts }) => {
    const [first] = parts;
    const prompt = fixture.alwaysReasons && first && 'text' in first ? withoutReasoning : '';
    expect(parse({ format, prompt, text: write(fixture, parts) })).toEqual(inputFor(fixture, parts));
  });

  it('may begin in the prompt', () => {
    const text = write(fixture, [hm, yes]).slice(open.length);
    expect(parse({ format, prompt: `User: <think>?\nAssistant: ${open}`, text })).toEqual([hm, yes]);
    expect(parse({ format, prompt: open, text: '' })).toEqual([]);
  });

  it('may be ruled out by the prompt', () => {
    expect(parse({ format, prompt: withoutReasoning, text: 'Yes.\n ' })).toEqual([{ text: 'Yes.\n ' }]);
  });

  it('may never be closed', () => {
    expect(parse({ format, text: `${open}Hm.\n\n` })).toEqual([{ reasoning: 'Hm.\n\n' }]);
    for (const end of ['</think', '[/THINK', '<|en', '<|end|', 'Here is my response', 'x\n<tool_call>\n'])
      expect(parse({ format, text: `${open}Hm.${end}` })).toEqual([{ reasoning: `Hm.${end}` }]);
  });

  it('holds back only what could become a marker', () => {
    const parser = format.parser({ prompt: '' });
    const recording = new Recording();
    parser.push(open, recording);
    for (const character of 'Hm, well') parser.push(character, recording);
    expect(recording.given).toEqual([{ reasoning: 'Hm, well' }]);
    for (const character of close + (fixture.response?.[0] ?? '')) parser.push(character, recording);
    for (const character of 'Yes\nor no') parser.push(character, recording);
    expect(recording.given).toEqual([{ reasoning: 'Hm, well' }, { text: 'Yes\nor no' }]);
  });

  it('loses nothing but markers and blanks where a response ends early', () => {
    const whole = write(fixture, [hm, { text: 'So:\n' }]);
    const lost: unknown[] = [];
    for (let length = 0; length <= whole.length; length++) {
      const text = whole.slice(0, length);
      const result = run(format.parser({ prompt: '' }), [text]);
      expect(run(format.parser({ prompt: '' }), text.split(''))).toEqual(result);
      const stored = result.map((part) => ('text' in part ? part.text : part.reasoning)).join('');
      if (withoutBlanks(stored) !== withoutBlanks(text.replaceAll(fixture.markup, ''))) lost.push({ text, stored });
    }
    expect(lost).toEqual([]);
  });
});

describe('markers in a sentence or in code begin no reasoning', () => {
  const mentioning = fixtures.filter(({ mayMention }) => mayMention);

  it.each(mentioning.map((fixture) => [title(fixture), fixture] as const))('%s', (_, fixture) => {
    const { format, open, withoutReasoning } = fixture;
    const marker = open.trim() || '<think>';
    const text = `Models write ${marker} or \`${marker}\`, as in\n\n \`\`\`xml\n${marker}\nHm.\n</think>\n\`\`\`\nand then.`;
    const parts: readonly Part[] = [hm, { text }];
    expect(parse({ format, text: write(fixture, parts) })).toEqual(parts);
    expect(parse({ format, prompt: withoutReasoning, text })).toEqual([{ text }]);
    expect(parse({ format, prompt: withoutReasoning, text: `${text}\n${marker}Hm.` })).toEqual([
      { text: `${text}\n` },
      { reasoning: 'Hm.' },
    ]);
  });
});

it('has a fixture for every format', () => {
  expect(new Set(fixtures.map(({ format }) => format))).toEqual(new Set(reasoningFormats));
});

function write({ open, close, response: [before, after] = ['', ''] }: Fixture, parts: readonly Part[]): string {
  return parts
    .map((part) => ('text' in part ? `${before}${part.text}${after}` : `${open}${part.reasoning}${close}`))
    .join('');
}

/** What is parted by markers begins a line of its own: further reasoning, and in harmony each message. */
function inputFor({ response }: Fixture, parts: readonly Part[]): readonly Part[] {
  const recording = new Recording();
  let hasReasoning = false;
  let hasText = false;
  for (const part of parts) {
    if ('reasoning' in part) {
      if (part.reasoning !== '') recording.reasoning(`${hasReasoning ? '\n' : ''}${part.reasoning}`);
      hasReasoning ||= part.reasoning !== '';
    } else {
      recording.text(`${hasText && response ? '\n' : ''}${part.text}`);
      hasText = true;
    }
  }
  return recording.given as readonly Part[];
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/\s/g, '');
}

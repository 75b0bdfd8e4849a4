import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { reasoningFormats } from './formats.ts';
import type { ReasoningFormat, ReasoningParser, ReasoningSink } from './reasoning-parser.ts';

type Part = { readonly reasoning: string } | { readonly text: string };

/** How a family writes an answer. */
interface Fixture {
  readonly format: ReasoningFormat;
  readonly way?: string;
  /** What stands before reasoning, and where it ends. */
  readonly open: string;
  readonly close: string;
  /** What stands around text for the user. */
  readonly answer?: readonly [before: string, after: string];
  /** All that is no text, also where the answer ends in it. */
  readonly markup: RegExp;
  /** The end of a prompt after which the model does not reason. */
  readonly withoutReasoning: string;
  /** Whether such a prompt is needed to say so. */
  readonly alwaysReasons?: boolean;
  /** What is a marker only wherever it begins a line outside of code; false: it always is. */
  readonly mayMention: boolean;
}

const think = { open: '<think>\n', close: '\n</think>\n\n', markup: /<\/?think>/g, mayMention: true };
const phrases = /Here(?:'s| is) my (?:thought process|response):/g;

const fixtures: readonly Fixture[] = [
  // From the chat template of DeepSeek V3.1.
  {
    ...think,
    format: format('think'),
    open: '<think>',
    close: '</think>',
    withoutReasoning: '<｜Assistant｜></think>',
  },
  // From the chat template of DeepSeek-R1-Distill-Qwen-32B, and vLLM's deepseek_r1 where nothing opens.
  { ...think, format: format('deepseek_r1'), withoutReasoning: '<｜Assistant｜></think>', alwaysReasons: true },
  {
    ...think,
    format: format('deepseek_r1'),
    way: 'nothing opened',
    open: '',
    withoutReasoning: '</think>',
    alwaysReasons: true,
  },
  // From the chat template of Qwen3.
  { ...think, format: format('qwen3'), withoutReasoning: '<|im_start|>assistant\n<think>\n\n</think>\n\n' },
  // From the chat template of GLM-4.6.
  {
    ...think,
    format: format('glm45'),
    open: '<think>',
    close: '</think>\n',
    withoutReasoning: '<|assistant|>\n<think></think>',
  },
  // From the chat templates that Mistral's own package renders.
  {
    format: format('mistral'),
    open: '[THINK]',
    close: '[/THINK]',
    markup: /\[\/?THINK\]/g,
    withoutReasoning: '[/INST]',
    mayMention: false,
  },
  // From the system prompts in the chat templates of Granite 3.2 and 3.3.
  {
    ...think,
    format: format('granite'),
    way: 'phrases',
    markup: phrases,
    open: 'Here is my thought process:\n\n',
    close: '\n\nHere is my response: ',
    withoutReasoning: '<|start_of_role|>assistant<|end_of_role|>',
  },
  {
    ...think,
    format: format('granite'),
    way: 'short phrases',
    markup: phrases,
    open: "Here's my thought process: ",
    close: " Here's my response:\n",
    withoutReasoning: '<|start_of_role|>assistant<|end_of_role|>',
  },
  {
    ...think,
    format: format('granite'),
    way: 'tags',
    markup: /<\/?(?:think|response)>/g,
    open: '<think>',
    close: '</think>\n<response>',
    withoutReasoning: '<|start_of_role|>assistant<|end_of_role|>',
  },
  // From OpenAI's description of the harmony format.
  {
    format: format('gpt-oss'),
    open: '<|channel|>analysis<|message|>',
    close: '<|end|><|start|>assistant',
    markup: /(?:<\|start\|>\w*)?(?:<\|channel\|>\w*)?(?:<\|message\|>|$)|<\|end\|>/g,
    answer: ['<|channel|>final<|message|>', '<|end|><|start|>assistant'],
    withoutReasoning: '<|start|>assistant<|channel|>final<|message|>',
    mayMention: false,
  },
];

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
    expect(parse({ format, prompt, text: write(fixture, parts) })).toEqual(given(fixture, parts));
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
    for (const character of close + (fixture.answer?.[0] ?? '')) parser.push(character, recording);
    for (const character of 'Yes\nor no') parser.push(character, recording);
    expect(recording.given).toEqual([{ reasoning: 'Hm, well' }, { text: 'Yes\nor no' }]);
  });

  it('loses nothing but markers and blanks where an answer ends early', () => {
    const whole = write(fixture, [hm, { text: 'So:\n' }]);
    const lost: unknown[] = [];
    for (let length = 0; length <= whole.length; length++) {
      const text = whole.slice(0, length);
      const result = run(format.parser({ prompt: '' }), [text]);
      expect(run(format.parser({ prompt: '' }), text.split(''))).toEqual(result);
      const kept = result.map((part) => ('text' in part ? part.text : part.reasoning)).join('');
      if (withoutBlanks(kept) !== withoutBlanks(text.replaceAll(fixture.markup, ''))) lost.push({ text, kept });
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

describe('deepseek_r1', () => {
  it('is all reasoning where nothing closes it', () => {
    expect(parse({ format: format('deepseek_r1'), text: '\nYes. It is <think> so.' })).toEqual([
      { reasoning: 'Yes. It is <think> so.' },
    ]);
  });

  it('may open what the prompt has opened', () => {
    expect(
      parse({
        format: format('deepseek_r1'),
        prompt: '<｜Assistant｜><think>\n',
        text: '<think>\nHm.\n</think>\nYes.',
      }),
    ).toEqual([{ reasoning: 'Hm.' }, { text: 'Yes.' }]);
  });
});

describe('the other formats', () => {
  it.each(['think', 'qwen3', 'glm45', 'granite'])('%s: a marker that closes nothing is text', (name) => {
    expect(parse({ format: format(name), text: 'So\n</think>\nYes.' })).toEqual([{ text: 'So\n</think>\nYes.' }]);
  });

  it.each(['think', 'qwen3', 'mistral', 'granite', 'gpt-oss'])('%s: keeps the blanks of a plain answer', (name) => {
    expect(parse({ format: format(name), text: '\n\n  Yes.\n ' })).toEqual([{ text: '\n\n  Yes.\n ' }]);
    expect(parse({ format: format(name), text: ' \n ' })).toEqual([{ text: ' \n ' }]);
  });

  it.each(reasoningFormats.map(({ name }) => name))('%s: gives the blanks of an answer at once', (name) => {
    const recording = new Recording();
    const parser = format(name).parser({ prompt: '</think>' });
    for (const piece of ['Yes.', '\n', ' ']) parser.push(piece, recording);
    expect(recording.given).toEqual([{ text: name === 'gpt-oss' ? 'Yes.' : 'Yes.\n ' }]);
  });

  it('glm45 begins with a newline', () => {
    expect(parse({ format: format('glm45'), text: '\n<think>Hm.</think>\nYes.\n' })).toEqual([
      { reasoning: 'Hm.' },
      { text: 'Yes.\n' },
    ]);
    expect(parse({ format: format('glm45'), text: '\nYes.\n' })).toEqual([{ text: 'Yes.\n' }]);
    expect(parse({ format: format('glm45'), prompt: '\n<think></think>', text: '\nYes.' })).toEqual([{ text: 'Yes.' }]);
  });

  it('mistral reasons within a line too', () => {
    expect(
      parse({ format: format('mistral'), text: 'Let me see. [THINK]Hm.[/THINK]Yes. [THINK]Oh.[/THINK] No.' }),
    ).toEqual([
      { text: 'Let me see. ' },
      { reasoning: 'Hm.' },
      { text: 'Yes. ' },
      { reasoning: '\nOh.' },
      { text: 'No.' },
    ]);
  });

  it('qwen3 and kimi may call a tool without closing their reasoning', () => {
    const call = '<tool_call>\n<function=ping>\n</function>\n</tool_call>';
    expect(parse({ format: format('qwen3'), text: `<think>\nNo <tool_call> here.\n\n${call}` })).toEqual([
      { reasoning: 'No <tool_call> here.' },
      { text: call },
    ]);
    expect(parse({ format: format('kimi_k2'), text: '<think>Hm.<|tool_calls_section_begin|>…' })).toEqual([
      { reasoning: 'Hm.' },
      { text: '<|tool_calls_section_begin|>…' },
    ]);
  });

  it('granite may enclose the answer', () => {
    const text = '<think>\nHm. <response>\n</think>\n\n<response>\nYes: <response>\n</response>\n';
    expect(parse({ format: format('granite'), text })).toEqual([
      { reasoning: 'Hm. <response>' },
      { text: 'Yes: <response>' },
    ]);
    expect(parse({ format: format('granite'), text: '<response>Yes.</response>' })).toEqual([
      { text: '<response>Yes.</response>' },
    ]);
    expect(parse({ format: format('granite'), text: '<think>Hm.</think>Yes.</response>' })).toEqual([
      { reasoning: 'Hm.' },
      { text: 'Yes.</response>' },
    ]);
  });
});

/** A sink for tests: it records what it is given, with neighbouring pieces put together. */
class Recording implements ReasoningSink {
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

function run(parser: ReasoningParser, pieces: Iterable<string>): readonly Part[] {
  const recording = new Recording();
  for (const piece of pieces) parser.push(piece, recording);
  parser.end(recording);
  return recording.given as readonly Part[];
}

/** The same however the text is cut. */
function parse({ format, prompt = '', text }: { format: ReasoningFormat; prompt?: string; text: string }) {
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

function format(name: string): ReasoningFormat {
  const found = reasoningFormats.find((item) => item.name === name || item.aliases?.includes(name));
  if (!found) throw new Error(`No format is called ${name}.`);
  return found;
}

function title({ format, way }: Fixture): string {
  return way === undefined ? format.name : `${format.name}, ${way}`;
}

function write({ open, close, answer: [before, after] = ['', ''] }: Fixture, parts: readonly Part[]): string {
  return parts
    .map((part) => ('text' in part ? `${before}${part.text}${after}` : `${open}${part.reasoning}${close}`))
    .join('');
}

/** What is parted by markers begins a line of its own: further reasoning, and in harmony each message. */
function given({ answer }: Fixture, parts: readonly Part[]): readonly Part[] {
  const recording = new Recording();
  let hasReasoning = false;
  let hasText = false;
  for (const part of parts) {
    if ('reasoning' in part) {
      if (part.reasoning !== '') recording.reasoning(`${hasReasoning ? '\n' : ''}${part.reasoning}`);
      hasReasoning ||= part.reasoning !== '';
    } else {
      recording.text(`${hasText && answer ? '\n' : ''}${part.text}`);
      hasText = true;
    }
  }
  return recording.given as readonly Part[];
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/\s/g, '');
}

import { describe, expect, it } from 'vitest';
import { format } from '../../../test/support/reasoning-fixtures.ts';
import { parse, Recording } from '../../../test/support/reasoning-recording.ts';
import { reasoningFormats } from './formats.ts';

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

describe('the turn from reasoning to a structured output', () => {
  const think = { ends: ['</think>'], afterReasoning: '\n\n', withoutReasoning: '' };
  it.each([
    ['qwen3', '<|im_start|>assistant\n', { ...think, opens: ['<think>'] }],
    ['qwen3', '<|im_start|>assistant\n<think>\n', { ...think, opens: [] }],
    ['qwen3', '<|im_start|>assistant\n<think>\n\n</think>\n\n', undefined],
    ['deepseek_r1', '<｜Assistant｜>', { ...think, opens: [] }],
    ['mistral', '[/INST]', { ...think, opens: ['[THINK]'], ends: ['[/THINK]'] }],
    [
      'gpt-oss',
      '<|start|>assistant',
      {
        opens: ['<|channel|>analysis'],
        ends: ['<|end|>'],
        afterReasoning: '<|start|>assistant<|channel|>final<|message|>',
        withoutReasoning: '<|channel|>final<|message|>',
      },
    ],
    ['gpt-oss', '<|start|>assistant<|channel|>final<|message|>', undefined],
  ])('%s after %j', (name, prompt, turn) => {
    expect(format(name).turn({ prompt })).toEqual(turn);
  });
});

describe('the other formats', () => {
  it.each(['think', 'qwen3', 'glm45', 'granite'])('%s: a marker that closes nothing is text', (name) => {
    expect(parse({ format: format(name), text: 'So\n</think>\nYes.' })).toEqual([{ text: 'So\n</think>\nYes.' }]);
  });

  it.each(['think', 'qwen3', 'mistral', 'granite', 'gpt-oss'])('%s: keeps the blanks of a plain response', (name) => {
    expect(parse({ format: format(name), text: '\n\n  Yes.\n ' })).toEqual([{ text: '\n\n  Yes.\n ' }]);
    expect(parse({ format: format(name), text: ' \n ' })).toEqual([{ text: ' \n ' }]);
  });

  it.each(reasoningFormats.map(({ name }) => name))('%s: gives the blanks of a response at once', (name) => {
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

  it('granite may enclose the response', () => {
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

describe('a completion that continues a text', () => {
  it.each([
    ['deepseek_r1', 'The capital', ' is Paris.', [{ text: ' is Paris.' }]],
    ['deepseek_r1', '<think>\nHm.\n</think>\nThe', ' sea.', [{ text: ' sea.' }]],
    ['qwen3', '<think>\nLet me', ' see.\n</think>\n\n4', [{ reasoning: ' see.' }, { text: '4' }]],
    ['qwen3', 'It is', ' 4.', [{ text: ' 4.' }]],
  ])('%s: %j', (name, continued, text, value) => {
    const recording = new Recording();
    const parser = format(name).parser({ prompt: `<|im_start|>assistant\n${continued}`, continued });
    parser.push(text, recording);
    parser.end(recording);
    expect(recording.given).toEqual(value);
  });

  it('gpt-oss: in the channel that it was in', () => {
    const recording = new Recording();
    const prompt = '<|start|>assistant<|channel|>final<|message|>The capital';
    const parser = format('gpt-oss').parser({ prompt, continued: 'The capital' });
    parser.push(' is Paris.<|return|>', recording);
    parser.end(recording);
    expect(recording.given).toEqual([{ text: ' is Paris.' }]);
  });
});

import { describe, expect, it } from 'vitest';
import { Recording, tools, type Value } from '../../../test/support/tool-recording.ts';
import { gptOss as gptOssTools } from '../tools/gpt-oss.ts';
import { gptOss } from './gpt-oss.ts';

interface Response {
  readonly reasoning: string;
  readonly text: string;
  /** What the tool parser reads in the text. */
  readonly value: readonly Value[];
}

function parseOnce(pieces: readonly string[], prompt: string): Response {
  const reasoningParser = gptOss.parser({ prompt });
  const toolParser = gptOssTools.parser({ tools, mostHeld: 1000 });
  const recording = new Recording();
  const response = { reasoning: '', text: '' };
  const sink = {
    reasoning: (reasoning: string) => {
      response.reasoning += reasoning;
    },
    text: (text: string) => {
      response.text += text;
      toolParser.push(text, recording);
    },
  };
  for (const piece of pieces) reasoningParser.push(piece, sink);
  reasoningParser.end(sink);
  toolParser.end(recording);
  return { ...response, value: recording.given };
}

function parse(text: string, prompt = '<|start|>assistant'): Response {
  const response = parseOnce([text], prompt);
  expect(parseOnce(text.split(''), prompt)).toEqual(response);
  for (let at = 0; at <= text.length; at++)
    expect(parseOnce([text.slice(0, at), text.slice(at)], prompt)).toEqual(response);
  return response;
}

const analysis = '<|channel|>analysis<|message|>Hm.<|end|>';
const ping: Value = { call: 'ping', arguments: '{}', isComplete: true };

describe('a response of gpt-oss', () => {
  it('is the text of the final channel, without its frame', () => {
    expect(parse(`${analysis}<|start|>assistant<|channel|>final<|message|>Yes.<|return|>`)).toEqual({
      reasoning: 'Hm.',
      text: 'Yes.',
      value: [{ text: 'Yes.' }],
    });
    expect(parse(`${analysis}<|start|>assistant<|channel|>final <|constrain|>json<|message|>{}`).text).toBe('{}');
    expect(parse('<|start|>assistant<|message|>Yes.<|end|>').text).toBe('Yes.');
  });

  it.each([
    '<|start|>assistant<|channel|>commentary to=functions.ping <|constrain|>json<|message|>{}<|call|>',
    '<|start|>assistant to=functions.ping<|channel|>commentary json<|message|>{}<|call|>',
    '<|start|>assistant<|channel|>analysis to=functions.ping<|message|>{}<|call|>',
    '<|channel|>commentary to=functions.ping<|message|>{}',
  ])('gives the call %s on as it is', (call) => {
    expect(parse(analysis + call)).toEqual({ reasoning: 'Hm.', text: call, value: [ping] });
    expect(parse(call)).toEqual({ reasoning: '', text: call, value: [ping] });
  });

  it('may begin with the recipient, since the prompt ends within the header', () => {
    const call = ' to=functions.ping<|channel|>commentary json<|message|>{}<|call|>';
    expect(parse(call)).toEqual({ reasoning: '', text: call, value: [ping] });
    expect(parse(' to=do: sleep').text).toBe(' to=do: sleep');
    expect(parse(`Say to=functions.ping${analysis}`)).toMatchObject({
      reasoning: 'Hm.',
      text: 'Say to=functions.ping',
    });
  });

  it('may say what it is about to do, and reason again', () => {
    const text = [
      `${analysis}<|start|>assistant<|channel|>commentary<|message|>I will ping.<|end|>`,
      '<|start|>assistant<|channel|>analysis<|message|>Now.<|end|>\n',
      '<|start|>assistant<|channel|>commentary to=functions.ping<|message|>{}<|call|>',
      '<|start|>assistant<|channel|>final<|message|>Done.',
    ].join('');
    const { reasoning, value } = parse(text);
    expect(reasoning).toBe('Hm.\nNow.');
    expect(value).toEqual([{ text: 'I will ping.' }, ping, { text: '\nDone.' }]);
  });

  it('may leave out the ends of messages', () => {
    expect(parse('<|channel|>analysis<|message|>Hm.<|channel|>final<|message|>Yes.')).toMatchObject({
      reasoning: 'Hm.',
      text: 'Yes.',
    });
    expect(parse('<|channel|>analysis<|message|>Hm.<|start|>assistant<|channel|>final<|message|>Yes.')).toMatchObject({
      reasoning: 'Hm.',
      text: 'Yes.',
    });
  });

  it('may begin within a message that the prompt began', () => {
    const prompt = '<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>';
    expect(parse('Hm.<|end|>', `${prompt}analysis<|message|>`)).toMatchObject({ reasoning: 'Hm.', text: '' });
    expect(parse('Yes.<|return|>', `${prompt}final<|message|>`)).toMatchObject({ reasoning: '', text: 'Yes.' });
  });

  it('has no text in a header that was cut off', () => {
    for (const rest of ['<|start|>', '<|start|>assistant', '<|start|>assistant<|channel|>fin', '<|channel|>final'])
      expect(parse(analysis + rest)).toEqual({ reasoning: 'Hm.', text: '', value: [] });
  });

  it.each([
    '<|channel|>commentary to=functions.launch<|message|>{}<|end|>',
    '<|channel|>commentary to=functions.lau',
    '<|channel|>musing<|message|>Oh.<|end|>',
    '<|start|>user<|message|>Oh.<|end|>',
    '<|start|>assistant<|end|>',
    `<|channel|>${'final '.repeat(100)}<|message|>Oh.`,
  ])('keeps %s as it is', (text) => {
    expect(parse(text)).toMatchObject({ reasoning: '', text });
  });

  it('goes on after a broken header', () => {
    expect(parse(`<|start|>assistant ${'x'.repeat(600)}${analysis}`)).toMatchObject({
      reasoning: '',
      text: `<|start|>assistant ${'x'.repeat(600)}<|channel|>analysis<|message|>Hm.`,
    });
    expect(parse(`<|start|>assistant ${'x'.repeat(600)}<|start|>assistant${analysis}`)).toMatchObject({
      reasoning: 'Hm.',
      text: `<|start|>assistant ${'x'.repeat(600)}`,
    });
  });
});

import { describe, expect, it } from 'vitest';
import { run, tools, type Value } from '../../../test/support/tool-recording.ts';
import { gptOss } from './gpt-oss.ts';

function parse(text: string): readonly Value[] {
  const parser = () => gptOss.parser({ tools, mostHeld: 1000 });
  const result = run(parser(), [text]);
  for (let at = 0; at <= text.length; at++) expect(run(parser(), [text.slice(0, at), text.slice(at)])).toEqual(result);
  return result;
}

const ping: Value = { call: 'ping', arguments: '{}', isComplete: true };

describe('a response of gpt-oss', () => {
  it('is the text of the final channel, without its frame', () => {
    expect(parse('<|channel|>final<|message|>Hello.<|return|>')).toEqual([{ text: 'Hello.' }]);
    expect(parse('<|start|>assistant<|channel|>final <|constrain|>json<|message|>{"a": 1}<|end|>')).toEqual([
      { text: '{"a": 1}' },
    ]);
    expect(parse('Hello.')).toEqual([{ text: 'Hello.' }]);
  });

  it('may say what it is about to do', () => {
    expect(
      parse(
        '<|channel|>commentary<|message|>I will ping.<|end|><|start|>assistant<|channel|>commentary to=functions.ping<|constrain|>json<|message|>{}<|call|>',
      ),
    ).toEqual([{ text: 'I will ping.' }, ping]);
  });

  it('may begin with the recipient, since the prompt ends within the header', () => {
    expect(parse(' to=functions.ping<|channel|>commentary json<|message|>{}<|call|>')).toEqual([ping]);
    expect(parse(' to=do: sleep')).toEqual([{ text: ' to=do: sleep' }]);
  });

  it('may call on the analysis channel and without an end', () => {
    expect(parse('<|channel|>analysis to=functions.ping <|constrain|>json<|message|>{}')).toEqual([ping]);
  });

  it('may call without arguments', () => {
    expect(parse('<|channel|>commentary to=functions.ping<|message|><|call|>')).toEqual([ping]);
    expect(parse('<|start|>assistant to=functions.ping<|channel|>commentary json<|message|> <|end|>')).toEqual([ping]);
  });

  it.each([
    '<|channel|>analysis<|message|>Hm.<|end|>',
    '<|channel|>commentary to=browser.search<|message|>{"query": 1}<|call|>',
    '<|channel|>commentary to=functions.launch<|message|>{}<|end|>',
    '<|channel|>commentary to=functions.ping<|message|>now<|call|>',
    '<|start|>assistant<|end|>',
  ])('keeps %s as it is', (text) => {
    expect(parse(text)).toEqual([{ text }]);
  });
});

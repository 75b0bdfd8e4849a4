import { describe, expect, it } from 'vitest';
import { ChatResponse } from './chat-response.ts';

function take(...events: readonly unknown[]) {
  const response = new ChatResponse();
  const parts = events.flatMap((event) => response.take(typeof event === 'string' ? event : JSON.stringify(event)));
  const { text, calls, usage, finishReason, error } = response;
  return { parts, answer: { text, calls, usage, finishReason, error } };
}

const delta = (fields: object, reason: string | null = null) => ({
  choices: [{ index: 0, delta: fields, finish_reason: reason }],
});
const empty = { text: '', calls: [], usage: undefined, finishReason: undefined, error: undefined };

describe('ChatResponse', () => {
  it('gathers a stream of text', () => {
    const usage = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } };
    const events = [delta({ role: 'assistant', content: '' }), delta({ content: 'A ' }), delta({ content: 'shell.' })];
    expect(take(...events, delta({}, 'stop'), usage, '[DONE]')).toEqual({
      parts: [
        { kind: 'text', text: 'A ' },
        { kind: 'text', text: 'shell.' },
      ],
      answer: { ...empty, text: 'A shell.', usage: { prompt: 3, completion: 2 }, finishReason: 'stop' },
    });
  });

  it('separates reasoning, which may have two names at once', () => {
    const both = delta({ reasoning: 'Hm.', reasoning_content: 'Hm.' });
    expect(take(both, delta({ reasoning: ' So.' }), delta({ content: 'A.' })).parts).toEqual([
      { kind: 'reasoning', text: 'Hm.' },
      { kind: 'reasoning', text: ' So.' },
      { kind: 'text', text: 'A.' },
    ]);
  });

  it('puts calls together', () => {
    const call = (index: number, fields: object) => delta({ tool_calls: [{ index, ...fields }] });
    const { parts, answer: response } = take(
      call(0, { id: 'a', type: 'function', function: { name: 'find', arguments: '' } }),
      call(0, { function: { arguments: '{"x":' } }),
      call(0, { function: { arguments: '1}' } }),
      call(1, { id: 'b', type: 'function', function: { name: 'now', arguments: '{}' } }),
      delta({}, 'tool_calls'),
    );
    expect(parts).toEqual([
      { kind: 'call', text: 'find' },
      { kind: 'arguments', text: '{"x":' },
      { kind: 'arguments', text: '1}' },
      { kind: 'call', text: 'now' },
      { kind: 'arguments', text: '{}' },
    ]);
    expect(response.calls).toEqual([
      { id: 'a', type: 'function', function: { name: 'find', arguments: '{"x":1}' } },
      { id: 'b', type: 'function', function: { name: 'now', arguments: '{}' } },
    ]);
  });

  it('reads a response in one piece', () => {
    const whole = { choices: [{ index: 0, message: { role: 'assistant', content: 'A.' }, finish_reason: 'stop' }] };
    expect(take(whole)).toEqual({
      parts: [{ kind: 'text', text: 'A.' }],
      answer: { ...empty, text: 'A.', finishReason: 'stop' },
    });
  });

  it.each([
    [{ error: { message: 'The engine is gone.', code: 'x' } }, 'The engine is gone.'],
    ['<html>', 'The server sent an event that is not JSON.'],
  ])('keeps what went wrong: %j', (event, error) => {
    expect(take(delta({ content: 'A' }), event).answer).toEqual({ ...empty, text: 'A', error });
  });
});

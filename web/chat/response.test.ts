import { describe, expect, it } from 'vitest';
import { emptyResponse, withChunk } from './response.ts';

const delta = (value: object, finish: string | null = null): string =>
  JSON.stringify({ choices: [{ index: 0, delta: value, finish_reason: finish }] });
const fold = (...chunks: readonly string[]) => chunks.reduce(withChunk, emptyResponse);

describe('withChunk', () => {
  it('puts text, reasoning, the end and the count together', () => {
    const response = fold(
      delta({ role: 'assistant', content: '', refusal: null }),
      delta({ reasoning_content: 'Hm', reasoning: 'Hm' }),
      delta({ content: 'On' }),
      delta({ content: 'e.' }),
      delta({}, 'stop'),
      JSON.stringify({ choices: [], usage: { prompt_tokens: 4, completion_tokens: 7 } }),
    );
    expect(response).toEqual({ text: 'One.', reasoning: 'Hm', calls: [], finish: 'stop', tokens: 7, pieces: 3 });
  });

  it('puts calls together, several at once', () => {
    const call = (index: number, value: object) => delta({ tool_calls: [{ index, ...value }] });
    const { calls, finish } = fold(
      call(0, { id: 'a', type: 'function', function: { name: 'f', arguments: '' } }),
      call(0, { function: { arguments: '{"x"' } }),
      call(1, { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } }),
      call(0, { function: { arguments: ':1}' } }),
      delta({}, 'tool_calls'),
    );
    expect(calls).toEqual([
      { id: 'a', name: 'f', arguments: '{"x":1}' },
      { id: 'b', name: 'g', arguments: '{}' },
    ]);
    expect(finish).toBe('tool_calls');
  });

  it('throws an error in the stream', () => {
    const data = JSON.stringify({ error: { message: 'The server went away.', code: 'server_unreachable' } });
    expect(() => withChunk(emptyResponse, data)).toThrow('The server went away.');
  });
});

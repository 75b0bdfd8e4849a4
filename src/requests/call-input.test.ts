import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { inputOf } from './call-input.ts';

describe('inputOf', () => {
  it.each([
    ['', {}],
    ['{}', {}],
    ['{"a":{"b":[1,"x"]}}', { a: { b: [1, 'x'] } }],
    ['{', {}],
    ['{"a', {}],
    ['{"a"', {}],
    ['{"a":', {}],
    ['{"a":"x', {}],
    ['{"a":"x\\"', {}],
    ['{"a":"x"', { a: 'x' }],
    ['{"a":"x",', { a: 'x' }],
    ['{"a":"x","b"', { a: 'x' }],
    ['{"a":12', {}],
    ['{"a":12 ', { a: 12 }],
    ['{"a":tru', {}],
    ['{"a":true', { a: true }],
    ['{"a":[', { a: [] }],
    ['{"a":["x","y', { a: ['x'] }],
    ['{"a":[{"b":null},{', { a: [{ b: null }, {}] }],
    ['{"a":{"b":1},"c":{"d', { a: { b: 1 }, c: {} }],
  ])('reads %s', (json, input) => {
    expect(inputOf(json)).toEqual(input);
  });

  it("reads the same as Anthropic's client wherever it is cut", async () => {
    const json = '{"a \\" {": "x, [\\\\", "n": [-1.5e3, 20 , {"deep": {}}], "ok": true, "no": null, "end": "é"}';
    for (let at = 1; at <= json.length; at++)
      expect([at, inputOf(json.slice(0, at))]).toEqual([at, await readByClient(json.slice(0, at))]);
  });

  it.each(['{"a": "x\ny"}', '{"a":1}}', '{"a":01}', '{"a":1,}', '{"a":"\\q"}', '[1,2}', '}', 'words'])(
    'reads what it can of %j, which is no JSON',
    (json) => {
      expect(() => inputOf(json)).not.toThrow();
    },
  );
});

async function readByClient(json: string): Promise<unknown> {
  const message = { id: 'm', type: 'message', role: 'assistant', content: [], usage: {} };
  const block = { type: 'tool_use', id: 't', name: 'f', input: {} };
  const events = [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: json } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ];
  const stream = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  const headers = { 'content-type': 'text/event-stream' };
  const client = new Anthropic({ apiKey: 'none', fetch: () => Promise.resolve(new Response(stream, { headers })) });
  const request = { model: 'toy', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' } as const] };
  const [call] = (await client.messages.stream(request).finalMessage()).content;
  return call?.type === 'tool_use' ? call.input : undefined;
}

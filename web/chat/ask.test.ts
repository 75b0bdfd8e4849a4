import { describe, expect, it } from 'vitest';
import { RequestError } from '../lib/request-error.ts';
import { ask } from './ask.ts';

const request = { model: 'm', messages: [], stream: true };
const chunk = (content: string): string => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
const usage = `data: ${JSON.stringify({ choices: [], usage: { completion_tokens: 5 } })}\n\n`;
const done = 'data: [DONE]\n\n';

/** Sends a request to a server that responds with these texts. Each reading of the clock advances it by 100 ms. */
async function responseOf(texts: readonly (string | Error)[], controller = new AbortController()) {
  const seen: string[] = [];
  let clock = 0;
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (stream) => {
      const text = texts[at++];
      if (text instanceof Error) stream.error(text);
      else if (text === undefined) stream.close();
      else stream.enqueue(new TextEncoder().encode(text));
    },
  });
  const ended = await ask({ send: async () => new Response(body) }, request, {
    signal: controller.signal,
    onChange: ({ text }) => seen.push(text),
    now: () => (clock += 100),
  });
  return { ...ended, seen };
}

describe('ask', () => {
  it('reports the response as it arrives, and its timings', async () => {
    const { response, errorText, figures, seen } = await responseOf([chunk('a'), chunk('b'), usage + done]);
    expect({ text: response.text, errorText, seen }).toEqual({
      text: 'ab',
      errorText: undefined,
      seen: ['a', 'ab', 'ab'],
    });
    // Readings of the clock: the start, the first token, then one per chunk.
    expect(figures).toEqual({ firstToken: 100, total: 400, tokens: 5, tokensPerSecond: 4 / 0.3, isEstimate: false });
  });

  it('returns the text that arrived before the connection was lost', async () => {
    const { response, errorText, figures } = await responseOf([chunk('a'), new TypeError('network error')]);
    expect({ text: response.text, errorText, isEstimate: figures.isEstimate }).toEqual({
      text: 'a',
      errorText: 'The connection was lost before the response was complete.',
      isEstimate: true,
    });
  });

  it('reports a stream without its end', async () => {
    expect((await responseOf([chunk('a')])).errorText).toBe(
      'The connection was lost before the response was complete.',
    );
  });

  it('marks a stopped response', async () => {
    const controller = new AbortController();
    controller.abort();
    const { response, errorText } = await responseOf(
      [chunk('a'), new DOMException('stopped', 'AbortError')],
      controller,
    );
    expect({ text: response.text, finish: response.finish, errorText }).toEqual({
      text: 'a',
      finish: 'stopped',
      errorText: undefined,
    });
  });

  it('passes on the error of the server', async () => {
    const send = () => Promise.reject(new RequestError('No such model.', { status: 404 }));
    const { errorText, figures } = await ask({ send }, request, {
      signal: new AbortController().signal,
      onChange: () => undefined,
    });
    expect(errorText).toBe('No such model.');
    expect(figures).toMatchObject({ firstToken: undefined, tokens: 0, tokensPerSecond: undefined });
  });
});

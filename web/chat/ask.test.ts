import { describe, expect, it } from 'vitest';
import { Fault } from '../lib/fault.ts';
import { ask } from './ask.ts';

const request = { model: 'm', messages: [], stream: true };
const chunk = (content: string): string => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
const usage = `data: ${JSON.stringify({ choices: [], usage: { completion_tokens: 5 } })}\n\n`;
const done = 'data: [DONE]\n\n';

/** Asks a server that answers with these texts; the clock goes on by 100 ms at each look. */
async function answerOf(texts: readonly (string | Error)[], controller = new AbortController()) {
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
  it('gives the answer as it comes, and how quick it was', async () => {
    const { answer, fault, figures, seen } = await answerOf([chunk('a'), chunk('b'), usage + done]);
    expect({ text: answer.text, fault, seen }).toEqual({ text: 'ab', fault: undefined, seen: ['a', 'ab', 'ab'] });
    // Looks at the clock: the beginning, the first token, then one for each chunk.
    expect(figures).toEqual({ firstToken: 100, total: 400, tokens: 5, tokensPerSecond: 4 / 0.3, isEstimate: false });
  });

  it('keeps what came before a connection broke', async () => {
    const { answer, fault, figures } = await answerOf([chunk('a'), new TypeError('network error')]);
    expect({ text: answer.text, fault, isEstimate: figures.isEstimate }).toEqual({
      text: 'a',
      fault: 'The connection broke off before the answer was complete.',
      isEstimate: true,
    });
  });

  it('takes no answer for whole that lacks its end', async () => {
    expect((await answerOf([chunk('a')])).fault).toBe('The connection broke off before the answer was complete.');
  });

  it('says so when it was stopped', async () => {
    const controller = new AbortController();
    controller.abort();
    const { answer, fault } = await answerOf([chunk('a'), new DOMException('stopped', 'AbortError')], controller);
    expect({ text: answer.text, finish: answer.finish, fault }).toEqual({
      text: 'a',
      finish: 'stopped',
      fault: undefined,
    });
  });

  it('tells what the server says', async () => {
    const send = () => Promise.reject(new Fault('No such model.', { status: 404 }));
    const { fault, figures } = await ask({ send }, request, {
      signal: new AbortController().signal,
      onChange: () => undefined,
    });
    expect(fault).toBe('No such model.');
    expect(figures).toMatchObject({ firstToken: undefined, tokens: 0, tokensPerSecond: undefined });
  });
});

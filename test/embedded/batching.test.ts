import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddedServer } from '../../src/servers/embedded/embedded-server.ts';
import { pulled } from '../support/pulled-responses.ts';
import { ask, chat, modelName, request, startEmbedded } from './support.ts';

describe('continuous batching', () => {
  let server: EmbeddedServer;
  const sampling = { max_tokens: 32, temperature: 0, ignore_eos: true };
  const figures = () => ({ ...(server.figuresOf(modelName) as NonNullable<ReturnType<EmbeddedServer['figuresOf']>>) });

  beforeAll(async () => {
    server = await startEmbedded({ sequences: 4, queueSize: 2 });
  });

  afterAll(() => server.close());

  it('decodes four requests in the batches of one', async () => {
    const before = figures();
    const responses = await Promise.all(
      ['a fox', 'a bear', 'a wolf', 'a crow'].map((animal) =>
        ask(server, { prompt: chat(`Tell me about ${animal}.`), sampling }),
      ),
    );
    const { batches, sharedBatches, sampledTokens } = figures();
    expect(responses.map(({ outputTokens }) => outputTokens)).toEqual([32, 32, 32, 32]);
    expect(sampledTokens - before.sampledTokens).toBe(4 * 32);
    // One after the other they would take 128 batches and more.
    expect(batches - before.batches).toBeLessThan(48);
    expect(sharedBatches - before.sharedBatches).toBeGreaterThan(24);
  });

  it('gives each the text that it would get alone', async () => {
    const prompts = ['the sea', 'the moon', 'a train'].map((thing) => chat(`Tell me about ${thing}.`));
    const together = await Promise.all(
      prompts.map((prompt) => ask(server, { prompt, sampling: { ...sampling, max_tokens: 12 } })),
    );
    for (const [index, prompt] of prompts.entries()) {
      const alone = await ask(server, { prompt, sampling: { ...sampling, max_tokens: 12 } });
      expect(together[index]?.text).toBe(alone.text);
    }
  });

  it('shares fairly between streams', async () => {
    const order: number[] = [];
    await Promise.all(
      [0, 1, 2, 3].map(async (index) => {
        for await (const batch of pulled(server, request({ prompt: chat(`Count to ${index}`), sampling })))
          for (const _ of batch) order.push(index);
      }),
    );
    // Once all of them run, no one is ever more than two tokens ahead of another.
    const started = order.findIndex((_, at) => new Set(order.slice(0, at)).size === 4);
    const ended = order.findIndex((_, at) => [0, 1, 2, 3].some((stream) => count(order.slice(0, at), stream) === 32));
    const leads = order.slice(started, ended).map((_, at) => {
      const counts = [0, 1, 2, 3].map((stream) => count(order.slice(started, started + at), stream));
      return Math.max(...counts) - Math.min(...counts);
    });
    expect(leads.length).toBeGreaterThan(64);
    expect(Math.max(...leads)).toBeLessThanOrEqual(2);
  });

  it('evaluates only what is new of the next turn of a conversation', async () => {
    const system = 'You are a patient teacher who answers every question in short and simple words. '.repeat(8);
    const first = chat('What is rain?', system);
    const response = await ask(server, { prompt: first, sampling: { max_tokens: 40, temperature: 0 } });
    const before = figures();
    const second = `${first}${response.text}<|im_end|>\n<|im_start|>user\nAnd snow?<|im_end|>\n<|im_start|>assistant\n`;
    const next = await ask(server, { prompt: second, sampling: { max_tokens: 2, temperature: 0 } });
    const { evaluatedTokens, reusedTokens } = figures();
    const reused = reusedTokens - before.reusedTokens;
    expect(reused).toBeGreaterThan(response.inputTokens);
    expect(evaluatedTokens - before.evaluatedTokens).toBe(next.inputTokens - reused + 1);
    expect(evaluatedTokens - before.evaluatedTokens).toBeLessThan(30);
  });

  it('gives the same answer from a reused beginning as from a fresh one', async () => {
    const fresh = await startEmbedded({ sequences: 1 });
    const prompt = chat('Name three colours.');
    const option = { prompt, sampling: { max_tokens: 16, temperature: 0 } };
    const one = await ask(fresh, option);
    const again = await ask(fresh, option);
    await fresh.close();
    expect(again.text).toBe(one.text);
  });

  it('refuses what is beyond the queue the way that Triton does', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 9 }, (_, index) =>
        ask(server, { prompt: `${index} and`, sampling: { ...sampling, max_tokens: 8 } }),
      ),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(3);
    for (const { reason } of refused)
      expect(reason).toMatchObject({ code: 'UNAVAILABLE', message: 'Exceeds maximum queue size' });
  });

  it('stops within a token when the reader leaves or the signal says so', async () => {
    const before = figures();
    let seen = 0;
    for await (const batch of pulled(server, request({ sampling: { ...sampling, max_tokens: 500 } }))) {
      seen += batch.length;
      if (seen >= 5) break;
    }
    const abort = new AbortController();
    const aborted = ask(server, { sampling: { ...sampling, max_tokens: 500 } }, { signal: abort.signal });
    setTimeout(() => abort.abort(), 200);
    await expect(aborted).rejects.toMatchObject({ code: 'CANCELLED' });
    const stopped = figures().sampledTokens;
    expect(stopped - before.sampledTokens).toBeLessThan(200);
    // The token that was being made is the last one.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(figures().sampledTokens - stopped).toBeLessThanOrEqual(1);
    expect(await server.call('ModelStatistics', { name: modelName })).toMatchObject({
      model_stats: [{ name: modelName }],
    });
  });

  it('ends with DEADLINE_EXCEEDED when the time is up, and with CANCELLED when it never began', async () => {
    await expect(ask(server, { sampling: { ...sampling, max_tokens: 500 } }, { timeout: 100 })).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
    await expect(ask(server, {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('lets a slow reader slow down its own generation alone', async () => {
    const slow = pulled(server, request({ prompt: 'slow', sampling: { ...sampling, max_tokens: 900 } }));
    await slow.next();
    const before = figures();
    for (let round = 0; round < 9; round++) await ask(server, { prompt: `${round} quick`, sampling });
    // While its reader waits it is left out of the batches: at most the token that was being made is added.
    expect(figures().sampledTokens - before.sampledTokens - 9 * 32).toBeOneOf([0, 1]);
    const { value } = await slow.next();
    expect(value.length).toBeGreaterThan(0);
    await slow.return?.();
  });
});

function count(order: readonly number[], stream: number): number {
  return order.filter((other) => other === stream).length;
}

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Conch, startConch } from '../support/conch.ts';
import { inRoot, tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post } from '../support/gateway.ts';
import { linkBackends, tritonEnvironment, tritonProgram } from '../support/triton.ts';

interface Kind {
  readonly name: string;
  readonly model: string;
  readonly start: () => Promise<Conch>;
  readonly takesLogitBias: boolean;
}

const backends = mkdtempSync(join(tmpdir(), 'conch-servers-'));
afterAll(() => rmSync(backends, { recursive: true, force: true }));

const tokenizer = () => ['--tokenizer', tokenizerFolder('qwen3')];

const kinds: readonly Kind[] = [
  {
    name: 'remote',
    model: 'vllm-toy',
    takesLogitBias: false,
    start: () => startConch({ flags: ['--triton', `127.0.0.1:${inject('triton').grpcPort}`, ...tokenizer()] }),
  },
  {
    name: 'managed',
    model: 'vllm-toy',
    takesLogitBias: false,
    start: () => {
      linkBackends(backends);
      return startConch({
        flags: [
          '--model-repository',
          inRoot('test/models'),
          '--tritonserver',
          tritonProgram(),
          ...tokenizer(),
          '--',
          `--backend-directory=${backends}`,
        ],
        environment: tritonEnvironment(),
        readyMilliseconds: 120_000,
      });
    },
  },
  {
    name: 'embedded',
    model: 'smollm2-135m-instruct',
    takesLogitBias: true,
    start: () => startConch({ readyMilliseconds: 180_000 }),
  },
];

interface Choice {
  readonly index: number;
  readonly text: string;
  readonly message: { content: string };
  readonly finish_reason: string;
  readonly logprobs: { content: { token: string; logprob: number; top_logprobs: unknown[] }[] } | null;
}

interface Chunk {
  readonly choices: readonly { index: number; delta: { content?: string }; finish_reason: string | null }[];
  readonly usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

describe.each(kinds)('OpenAI on a $name server', ({ model, start, takesLogitBias }) => {
  let conch: Conch;
  beforeAll(async () => {
    conch = await start();
  }, 200_000);
  afterAll(() => conch.stop());

  const messages = [{ role: 'user', content: 'Name three shells that one finds at the beach.' }];
  const chat = (body: object = {}) =>
    post(`${conch.url}/v1/chat/completions`, { model, messages, temperature: 0, max_tokens: 12, ...body });
  const complete = (body: object = {}) =>
    post(`${conch.url}/v1/completions`, { model, prompt: 'The sea is', temperature: 0, max_tokens: 6, ...body });
  const choices = (body: Record<string, unknown>) => body['choices'] as Choice[];

  it('says length when the length ran out, with exact usage', async () => {
    const { status, body } = await chat({ max_tokens: 5, ignore_eos: true });
    expect(status).toBe(200);
    expect(choices(body)[0]?.finish_reason).toBe('length');
    expect(body['usage']).toMatchObject({ completion_tokens: 5 });
  });

  it('streams what it answers unstreamed', async () => {
    const whole = choices((await chat()).body)[0];
    const events = eventsOf((await chat({ stream: true, stream_options: { include_usage: true } })).text);
    expect(events.at(-1)).toBe('[DONE]');
    const chunks = events.slice(0, -1) as Chunk[];
    const text = chunks.map(({ choices: [choice] }) => choice?.delta.content ?? '').join('');
    expect(text).toBe(whole?.message.content);
    expect(text).not.toBe('');
    const reasons = chunks.flatMap((chunk) => chunk.choices.map(({ finish_reason: reason }) => reason)).filter(Boolean);
    expect(reasons).toEqual([whole?.finish_reason]);
    expect(chunks.at(-1)?.usage?.prompt_tokens).toBeGreaterThan(8);
  });

  it('stops at a stop text and leaves it out', async () => {
    const [whole] = choices((await chat({ max_tokens: 40 })).body);
    const text = whole?.message.content ?? '';
    const stop = text.slice(3, 9);
    expect(stop).toHaveLength(6);
    const [stopped] = choices((await chat({ max_tokens: 40, stop })).body);
    expect(stopped).toMatchObject({ message: { content: text.slice(0, text.indexOf(stop)) } });
    expect(stopped?.finish_reason).toBe('stop');
  });

  it('repeats itself with a seed', async () => {
    const ask = async (seed: number) => choices((await chat({ temperature: 1, seed, n: 2 })).body);
    const [first, again] = [await ask(7), await ask(7)];
    expect(first).toHaveLength(2);
    expect(again).toEqual(first);
  });

  it('names the likeliest alternatives of every token', async () => {
    const { body } = await chat({ logprobs: true, top_logprobs: 3 });
    const [choice] = choices(body);
    const content = choice?.logprobs?.content ?? [];
    expect(content).toHaveLength((body['usage'] as { completion_tokens: number }).completion_tokens);
    for (const { logprob, top_logprobs: top } of content) {
      expect(logprob).toBeLessThanOrEqual(0);
      expect(top).toHaveLength(3);
    }
  });

  it('continues texts and token ids alike, and echoes on request', async () => {
    const [plain] = choices((await complete()).body);
    const [echoed] = choices((await complete({ echo: true })).body);
    expect(echoed?.text).toBe(`The sea is${plain?.text}`);
    const both = choices((await complete({ prompt: ['The sea is', 'The sea is'] })).body);
    expect(both.map(({ text }) => text)).toEqual([plain?.text, plain?.text]);
  });

  it('answers several at once, each its own', async () => {
    const prompts = ['one', 'two', 'three', 'four'].map((word) => [{ role: 'user', content: `Say ${word}.` }]);
    const alone: unknown[] = [];
    for (const prompt of prompts) alone.push(choices((await chat({ messages: prompt })).body));
    const together = await Promise.all(prompts.map(async (prompt) => choices((await chat({ messages: prompt })).body)));
    expect(together).toEqual(alone);
  });

  it('refuses wrong values and unknown models', async () => {
    const wrong = await chat({ temperature: 3 });
    expect([wrong.status, wrong.body.error?.['param']]).toEqual([400, 'temperature']);
    const unknown = await chat({ model: 'nobody' });
    expect([unknown.status, unknown.body.error?.['code']]).toEqual([404, 'model_not_found']);
  });

  it('takes logit_bias where the engine can, and refuses it by name elsewhere', async () => {
    const { status, body } = await chat({ logit_bias: { '10': -100 } });
    expect([status, body.error?.['param']]).toEqual(takesLogitBias ? [200, undefined] : [400, 'logit_bias']);
  });

  it('goes on serving when a client has left in the middle', async () => {
    const leaving = httpRequest(`${conch.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    leaving.on('error', () => undefined);
    // The toy waits after five tokens: tritonserver 2.51 can crash when a stream is cancelled while tokens flow.
    const content = directive({ tokens: 2000, hold_at: 5 });
    const held = { model, messages: [{ role: 'user', content }], stream: true, max_tokens: 2000, ignore_eos: true };
    leaving.end(JSON.stringify(held));
    const [response] = await once(leaving, 'response');
    await once(response, 'data');
    leaving.destroy();
    await conch.logged(({ status }) => status === 499);
    expect((await chat()).status).toBe(200);
  });

  it('lists its models and is ready', async () => {
    const response = await fetch(`${conch.url}/v1/models`);
    const { data } = (await response.json()) as { data: { id: string; capabilities: unknown }[] };
    expect(data.find(({ id }) => id === model)?.capabilities).toMatchObject({
      completion: true,
      chat: true,
      logprobs: true,
      logit_bias: takesLogitBias,
      token_ids: true,
    });
    expect((await fetch(`${conch.url}/health/ready`)).status).toBe(200);
  });
});

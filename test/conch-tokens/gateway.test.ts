import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { post, startGateway } from '../support/gateway.ts';

const model = 'tokens-toy';
let conch: Conch;
beforeAll(async () => {
  conch = await startGateway();
});
afterAll(() => conch.stop());

const complete = (body: object) => post(`${conch.url}/v1/completions`, { model, max_tokens: 64, ...body });

describe("Conch's own vLLM model", () => {
  it('generates text', async () => {
    const { status, body, text } = await complete({ prompt: directive({ answer: 'Grüße, 世界 👋', cached: 3 }) });
    expect([status, text]).toEqual([200, text]);
    expect(body).toMatchObject({
      choices: [{ text: 'Grüße, 世界 👋', finish_reason: 'stop' }],
      usage: { prompt_tokens_details: { cached_tokens: 3 } },
    });
  });
  it('echo', async () => {
    const { text } = await complete({ prompt: directive({ echo_parameters: true }), stop: ['x'], min_tokens: 3, logprobs: 2 });
    console.log(text);
  });
});

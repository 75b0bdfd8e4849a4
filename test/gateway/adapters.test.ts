import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { post, sharedGateway, startGateway } from '../support/gateway.ts';
import type { SharedConch } from '../support/shared-conch.ts';
import { receivedFor } from './requests.ts';

let conch: SharedConch;
let other: Conch;
beforeAll(async () => {
  [conch, other] = await Promise.all([sharedGateway(), startGateway('--lora-separator', ':')]);
});
afterAll(() => other.stop());

const echo = directive({ echo_parameters: true });
const complete = (model: string, url = conch.url) => post(`${url}/v1/completions`, { model, prompt: echo });
const unknown = (message: string) => ({
  error: { message, type: 'invalid_request_error', param: 'model', code: 'model_not_found' },
});

describe('a model with an adapter behind its name', () => {
  it('answers with that adapter, under the name that was asked for', async () => {
    const response = await complete('vllm-llama_lora_lora_a');
    expect([response.status, response.body['model']]).toEqual([200, 'vllm-llama_lora_lora_a']);
    expect(receivedFor(response)[0]?.sampling_parameters).toMatchObject({ lora_name: 'lora_a' });
    const base = await complete('vllm-llama');
    expect(receivedFor(base)[0]?.sampling_parameters).not.toHaveProperty('lora_name');
  });

  it('may be named with another separator', async () => {
    const response = await complete('vllm-llama:lora_b', other.url);
    expect(receivedFor(response)[0]?.sampling_parameters).toMatchObject({ lora_name: 'lora_b' });
    expect((await complete('vllm-llama_lora_lora_b', other.url)).status).toBe(404);
  });

  it('is a 404 where there is no such adapter, no adapter at all, or no such model', async () => {
    const responses = await Promise.all(
      ['vllm-llama_lora_zzz', 'vllm-toy_lora_lora_a', 'nothing_lora_lora_a', 'vllm-llama_lora_'].map((model) =>
        complete(model),
      ),
    );
    expect(responses.map(({ status, body }) => [status, body])).toEqual([
      [404, unknown('This model has no LoRA adapter named zzz. It has: lora_a, lora_b.')],
      [404, unknown('This model was loaded without LoRA adapters.')],
      [
        404,
        unknown(expect.stringMatching(/^The model "nothing_lora_lora_a" does not exist\. Available models: .+\.$/)),
      ],
      [404, unknown(expect.stringMatching(/^The model "vllm-llama_lora_" does not exist\. Available models: .+\.$/))],
    ]);
  });
});

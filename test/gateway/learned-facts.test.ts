import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { post, startGateway } from '../support/gateway.ts';

let conch: Conch;
beforeAll(async () => {
  conch = await startGateway('--context-length', 'vllm-bos=32');
});
afterAll(() => conch.stop());

const lengthOf = async (model: string) =>
  ((await (await fetch(`${conch.url}/v1/models/${model}`)).json()) as Record<string, unknown>)['max_model_len'];
const complete = (model: string, prompt: string, rest: object = {}) =>
  post(`${conch.url}/v1/completions`, { model, prompt, ...rest });

it('takes over the context length that an engine tells by refusing a prompt', async () => {
  const tokenize = () => post(`${conch.url}/tokenize`, { model: 'vllm-toy', prompt: 'a' });
  expect((await tokenize()).body).toMatchObject({ max_model_len: 131072 });
  const tooLong = await complete('vllm-toy', `${directive({ context: 20 })}${' word'.repeat(30)}`);
  expect(tooLong.status).toBe(400);
  expect(await lengthOf('vllm-toy')).toBe(20);
  expect((await tokenize()).body).toMatchObject({ max_model_len: 20 });
});

it('keeps a context length that is set where the engine has a longer one', async () => {
  expect((await complete('vllm-bos', `${directive({ context: 64 })}${' word'.repeat(80)}`)).status).toBe(400);
  expect(await lengthOf('vllm-bos')).toBe(32);
});

it('learns nothing from the name of an adapter or from the text of a prompt', async () => {
  const before = await (await fetch(`${conch.url}/v1/models/vllm-llama`)).json();
  const text = 'The decoder prompt (length 9) is longer than the maximum model length of 8.';
  const adapted = await complete(`vllm-llama_lora_${text}`, 'a');
  expect([adapted.status, adapted.body.error?.['param']]).toEqual([404, 'model']);
  await complete('vllm-llama', directive({ error_at: 0, error_text: `Cannot read "${text}"` }));
  await complete('vllm-llama', text);
  expect(await (await fetch(`${conch.url}/v1/models/vllm-llama`)).json()).toEqual(before);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { receivedFor } from '../gateway/requests.ts';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { post, type Response, startGateway } from '../support/gateway.ts';
import { listed } from './requests.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-lora-'));
let asking: Conch;
let reported: Conch;

const settings = `models:
  vllm-llama: { lora: [lora_b] }
  other-name: { serves: vllm-llama }
openai_restricted_api: [{ apis: [model-repository], header: admin-key, value: secret }]
`;

beforeAll(async () => {
  const file = join(folder, 'conch.yaml');
  writeFileSync(file, settings);
  [asking, reported] = await Promise.all([
    startGateway('--lora-root', folder),
    startGateway('--config', file, '--lora-root', folder),
  ]);
});
afterAll(async () => {
  await Promise.all([asking.stop(), reported.stop()]);
  rmSync(folder, { recursive: true });
});

const complete = (url: string, model: string): Promise<Response> =>
  post(`${url}/v1/completions`, { model, prompt: directive({ echo_parameters: true }) });
const failure = (message: string, param: string, code = 'invalid_request') => ({
  error: { message, type: 'invalid_request_error', param, code },
});

/** How many requests to a model tritonserver has counted as failed. */
async function failuresOf(model: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${inject('triton').httpPort}/v2/models/${model}/stats`);
  const { model_stats: stats } = (await response.json()) as {
    model_stats: { inference_stats: { fail: { count: number } } }[];
  };
  return stats.reduce((sum, { inference_stats: { fail } }) => sum + fail.count, 0);
}

describe('the adapters of a vLLM model', () => {
  it('are found by asking its server, once', async () => {
    const adapters = async (url: string) => (await listed(url)).filter(([id]) => id.startsWith('vllm-llama_lora_'));
    const found = ['lora_a', 'lora_b'].map((name) => [`vllm-llama_lora_${name}`, 'vllm-llama', 'vllm-llama']);
    expect(await adapters(asking.url)).toEqual(found);
    const failures = await failuresOf('vllm-llama');
    expect(await adapters(asking.url)).toEqual(found);
    expect(await failuresOf('vllm-llama')).toBe(failures);
  });

  it('are models that can be looked up by name, and nothing else is', async () => {
    const one = await fetch(`${asking.url}/v1/models/vllm-llama_lora_lora_a`);
    expect([one.status, await one.json()]).toMatchObject([200, { id: 'vllm-llama_lora_lora_a', parent: 'vllm-llama' }]);
    const none = await fetch(`${asking.url}/v1/models/vllm-llama_lora_zzz`);
    expect([none.status, await none.json()]).toEqual([
      404,
      failure('This model has no LoRA adapter named zzz. It has: lora_a, lora_b.', 'model', 'model_not_found'),
    ]);
    const without = await fetch(`${asking.url}/v1/models/vllm-toy_lora_lora_a`);
    expect([without.status, await without.json()]).toEqual([
      404,
      failure('This model has no LoRA adapter named lora_a. It has none.', 'model', 'model_not_found'),
    ]);
  });

  it('are those of the settings where these name them, under every name of the model', async () => {
    const response = await fetch(`${reported.url}/v1/models`, { headers: { 'admin-key': 'secret' } });
    const { data } = (await response.json()) as { data: { id: string; parent: string | null }[] };
    const adapters = data.filter(({ parent }) => parent !== null && parent !== 'tokens-toy');
    expect(adapters.map(({ id, parent }) => [id, parent])).toEqual([
      ['vllm-llama_lora_lora_b', 'vllm-llama'],
      ['other-name_lora_lora_b', 'other-name'],
    ]);
    const [known, unknown] = await Promise.all([
      complete(reported.url, 'other-name_lora_lora_b'),
      complete(reported.url, 'vllm-llama_lora_lora_a'),
    ]);
    expect(receivedFor(known)[0]?.sampling_parameters).toMatchObject({ lora_name: 'lora_b' });
    expect([unknown.status, unknown.body]).toEqual([
      404,
      failure('This model has no LoRA adapter named lora_a. It has: lora_b.', 'model', 'model_not_found'),
    ]);
  });

  it('cannot be loaded while it runs, and the refusal says what to do', async () => {
    const body = { lora_name: 'x', lora_path: 'x', model: 'vllm-llama' };
    const loaded = await post(`${asking.url}/v1/load_lora_adapter`, body);
    const unloaded = await post(`${asking.url}/v1/unload_lora_adapter`, { lora_name: 'lora_a', model: 'vllm-llama' });
    const reason =
      "model: Triton's vLLM backend reads the adapters of vllm-llama only when it loads the model. " +
      'Edit multi_lora.json next to its model.json, then reload the model.';
    for (const { status, body: response } of [loaded, unloaded])
      expect([status, response]).toEqual([400, failure(reason, 'model')]);
    // Without a name it is the only model that can: Conch's own, whose server has no such folder.
    const only = await post(`${asking.url}/v1/load_lora_adapter`, { lora_name: 'x', lora_path: 'x' });
    const missing = 'lora_name "x" has no adapter_config.json in its folder.';
    expect([only.status, only.body]).toEqual([400, failure(`lora_path: ${missing}`, 'lora_path')]);
  });

  it('are loaded and unloaded only by those who may change what is served', async () => {
    for (const path of ['load', 'unload']) {
      const { status, body } = await post(`${reported.url}/v1/${path}_lora_adapter`, {
        lora_name: 'x',
        lora_path: 'x',
      });
      expect([status, body.error?.['code']]).toEqual([401, 'invalid_auth']);
    }
  });
});

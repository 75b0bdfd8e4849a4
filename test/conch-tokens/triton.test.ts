import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joined, sendTokens, type TokensRequest, writeTokensModel } from '../support/conch-tokens.ts';
import { inRoot } from '../support/environment.ts';
import { startTriton, type Triton } from '../support/triton.ts';

let folder: string;
let triton: Triton;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'conch-tokens-'));
  mkdirSync(join(folder, 'aborts'));
  mkdirSync(join(folder, 'adapters'));
  mkdirSync(join(folder, 'secret'));
  symlinkSync(join(folder, 'secret'), join(folder, 'adapters/link'));
  const parameters = `parameters { key: "LORA_ROOT" value { string_value: "${join(folder, 'adapters')}" } }\n`;
  const version = writeTokensModel(join(folder, 'models'), 'tiny', { enable_lora: true }, { parameters });
  // Triton's stub does not read PYTHONPATH.
  cpSync(inRoot('test/support/fake_vllm/vllm'), join(version, 'vllm'), { recursive: true });
  triton = await startTriton({
    repository: join(folder, 'models'),
    environment: {
      PYTHONDONTWRITEBYTECODE: '1',
      CONCH_TEST_ENGINE: join(folder, 'aborts'),
    },
  });
});
afterAll(async () => {
  await triton.stop();
  rmSync(folder, { recursive: true, force: true });
});

const send = (...requests: readonly TokensRequest[]) =>
  sendTokens({ grpcPort: triton.grpcPort, model: 'tiny' }, requests);

function request(script: object, more: Partial<TokensRequest> & { readonly sampling?: object } = {}): TokensRequest {
  const { sampling, inputs, ...rest } = more;
  const parameters = JSON.stringify({ ...sampling, extra_args: { script } });
  return {
    inputs: { input_ids: ['INT32', [1, 2, 3]], sampling_params: ['BYTES', [parameters]], ...inputs },
    ...rest,
  };
}

const words = Array.from({ length: 200 }, (_, at) => `${at} é`);
const ids = words.map((_, at) => 100 + at);

describe('the model conch_vllm behind a tritonserver', () => {
  it('declares its tensors', async () => {
    const response = await fetch(`http://127.0.0.1:${triton.httpPort}/v2/models/tiny/config`);
    const config = (await response.json()) as {
      input: { name: string; optional: boolean }[];
      output: { name: string }[];
      max_batch_size: number;
      model_transaction_policy: object;
    };
    expect(config.input.filter(({ optional }) => !optional).map(({ name }) => name)).toEqual(['sampling_params']);
    expect(config.input).toHaveLength(12);
    expect(config.output).toHaveLength(15);
    expect(config.max_batch_size).toBe(0);
    expect(config.model_transaction_policy).toEqual({ decoupled: true });
  });

  it('sends exactly the tokens of the engine, with fewer responses than tokens when it is behind', async () => {
    const all = await send(
      ...Array.from({ length: 16 }, () => request({ tokens: words }, { sampling: { logprobs: 0 } })),
    );
    for (const { responses, error, status } of all) {
      expect([error, status]).toEqual([undefined, undefined]);
      expect(joined(responses, 'token_ids')).toEqual(ids);
      expect(joined(responses, 'text').join('')).toBe(words.join(''));
      expect(joined(responses, 'logprobs')).toEqual(ids.map((id) => [(100 - id) / 8 || 0]));
      expect(joined(responses, 'logprob_ids')).toEqual(ids.map((id) => [id]));
      expect(responses[0]?.['prompt_token_ids']).toEqual([1, 2, 3]);
      expect(responses.at(-1)).toMatchObject({ finish_reason: ['stop'], usage: [3, 200, 1, -1, -1] });
      expect(responses.at(-1)?.['times']).toEqual([null, null, null, null]);
    }
    const responses = all.reduce((sum, result) => sum + result.responses.length, 0);
    expect(responses).toBeLessThan((16 * 200) / 2);
  });

  it('sends only the named outputs', async () => {
    const [result] = await send(request({ tokens: ['a'] }, { outputs: ['token_ids', 'finish_reason'] }));
    expect(result).toEqual({ responses: [{ token_ids: [100], finish_reason: ['stop'] }] });
  });

  it('rejects what is invalid and goes on', async () => {
    const invalid = (inputs: TokensRequest['inputs']) => request({ tokens: ['a'] }, { inputs });
    const adapter = (path: string) => invalid({ lora_name: ['BYTES', ['a']], lora_path: ['BYTES', [path]] });
    const [good, ...bad] = await send(
      request({ tokens: ['a'] }, { outputs: ['text'] }),
      invalid({ input_ids: ['INT32', [1, 5000]] }),
      invalid({ input_ids: ['INT32', [-1]] }),
      adapter('/etc'),
      adapter('../secret'),
      adapter('link'),
      invalid({ image: ['BYTES', ['GIF89a, but not a picture']] }),
      invalid({ image: ['BYTES', [{ base64: Buffer.alloc(2 ** 20, 0xff).toString('base64') }]] }),
      invalid({ cache_salt: ['BYTES', ['s'.repeat(2 ** 20)]] }),
      invalid({ sampling_params: ['BYTES', ['{"stop_token_ids": [1000]}']] }),
    );
    expect(good).toEqual({ responses: [{ text: ['a'] }] });
    expect(bad).toEqual(
      [
        'input_ids[1] is 5000: token ids of this model are 0 to 999.',
        'input_ids[0] is -1: token ids of this model are 0 to 999.',
        'lora_path must lead to a folder inside LORA_ROOT.',
        'lora_path must lead to a folder inside LORA_ROOT.',
        'lora_path must lead to a folder inside LORA_ROOT.',
        'image[0] is not an image: expected a complete file of PNG, JPEG, WEBP, GIF.',
        'image[0] is not an image: expected a complete file of PNG, JPEG, WEBP, GIF.',
        'cache_salt has 1048576 bytes: the limit is 1024.',
        'sampling_params.stop_token_ids[0] is 1000: expected an integer between 0 and 999.',
      ].map((message) => ({ responses: [], error: `Invalid request: ${message}` })),
    );
    expect((await send(request({ tokens: ['a'] }, { outputs: ['text'] })))[0]).toEqual(good);
  });

  it('aborts the request of a client that cancels while the engine is waiting', async () => {
    const [result] = await send(request({ tokens: words, hold: 1 }, { cancel_after: 1 }));
    expect(result?.status).toBe('CANCELLED');
    await expect.poll(() => readdirSync(join(folder, 'aborts')).length).toBe(1);
  });
});

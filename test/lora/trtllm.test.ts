import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamedChoices, textsOf } from '../gateway/requests.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { post, type Response } from '../support/gateway.ts';
import { adapterFolder, config, weights } from '../support/npy.ts';
import { startTrtllm, type Trtllm } from '../support/trtllm.ts';
import { chainModels } from '../support/trtllm-repository.ts';
import { listed } from './requests.ts';

const patience = 240_000;
const folder = mkdtempSync(join(tmpdir(), 'conch-lora-'));
let triton: Trtllm;
let conch: Conch;

const rows = [
  [1, 0, 8],
  [2, 1, 8],
];
const matrix = (first: number): number[][] => [
  [first, -1, 2],
  [0, 0.25, 3],
];
const write = (name: string, first: number): string =>
  adapterFolder(join(folder, name), { weights: weights(matrix(first)), config: config(rows) });

const settings = `lora_root: ./loaded
models:
  ensemble:
    lora:
      poems: { dir: ./poems, task_id: 7 }
      sql: { dir: ./sql, task_id: 8 }
      wide: { dir: ./wide, task_id: 9 }
  tensorrt_llm_bls:
    contract: trtllm
    lora:
      text: { dir: ./text, task_id: 10 }
  llmapi:
    lora:
      poems: { dir: ./poems }
`;

beforeAll(async () => {
  write('poems', 0.5);
  write('sql', 1.5);
  write('text', 2.5);
  adapterFolder(join(folder, 'wide'), {
    weights: weights(matrix(3.5), '<f4'),
    config: config(rows.map((row) => [...row, 0])),
  });
  mkdirSync(join(folder, 'loaded'));
  writeFileSync(join(folder, 'conch.yaml'), settings);
  triton = await startTrtllm({
    models: [...chainModels, 'tensorrt_llm_bls', 'llmapi'],
    // Room for the weights of two adapters, of 12 bytes each.
    values: { lora_cache_host_memory_bytes: '30' },
  });
  conch = await startConch({
    flags: ['--triton', `127.0.0.1:${triton.grpcPort}`, '--config', join(folder, 'conch.yaml')],
  });
}, patience);
afterAll(async () => {
  await conch.stop();
  await triton.stop();
  rmSync(folder, { recursive: true });
});

const echo = directive({ echo_parameters: true });
const complete = (model: string, body: object = {}): Promise<Response> =>
  post(`${conch.url}/v1/completions`, { model, prompt: echo, ...body });

/** The inputs for adapters that the engine received. */
function loraOf(response: Response): Record<string, unknown> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const [text = ''] = isStream ? streamedChoices(response).map((choice) => choice.text) : textsOf(response);
  const received = JSON.parse(text.slice(text.indexOf('{'))) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(received).filter(([name]) => name.startsWith('lora_')));
}

const sent = (id: unknown, first: number) => ({ lora_task_id: id, lora_weights: matrix(first), lora_config: rows });
const failure = (message: string, param: string, code = 'invalid_request') => ({
  error: { message, type: 'invalid_request_error', param, code },
});

describe('an adapter of a TensorRT-LLM engine', () => {
  it('is sent with its first request and named by its number after that', async () => {
    const first = await complete('ensemble_lora_poems');
    expect([first.status, first.body['model'], loraOf(first)]).toEqual([200, 'ensemble_lora_poems', sent(7, 0.5)]);
    expect(loraOf(await complete('ensemble_lora_poems'))).toEqual({ lora_task_id: 7 });
    expect(loraOf(await complete('ensemble_lora_poems', { stream: true }))).toEqual({ lora_task_id: 7 });
    expect(loraOf(await complete('ensemble'))).toEqual({});
  });

  it('is sent again when the engine has forgotten it, and nobody notices', async () => {
    expect(loraOf(await complete('ensemble_lora_poems'))).toHaveProperty('lora_task_id', 7);
    expect(loraOf(await complete('ensemble_lora_sql'))).toEqual(sent(8, 1.5));
    // In FP32 and with a fourth column on the disk; as the engine declares it on the wire.
    expect(loraOf(await complete('ensemble_lora_wide'))).toEqual(sent(9, 3.5));
    const again = await complete('ensemble_lora_poems', { stream: true });
    expect([again.status, loraOf(again)]).toEqual([200, sent(7, 0.5)]);
    expect(loraOf(await complete('ensemble_lora_poems'))).toEqual({ lora_task_id: 7 });
    expect(loraOf(await complete('ensemble_lora_sql'))).toEqual(sent(8, 1.5));
  });

  it('reaches the engine through the models in front of it too', async () => {
    expect(loraOf(await complete('tensorrt_llm_bls_lora_text'))).toEqual(sent(10, 2.5));
    expect(loraOf(await complete('tensorrt_llm_bls_lora_text'))).toEqual({ lora_task_id: 10 });
  });

  it('answers many that come at once, for every choice of theirs', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `ensemble_lora_${['poems', 'sql', 'wide'][at % 3]}`);
    const responses = await Promise.all(names.map((name) => complete(name, { n: 2, temperature: 0.5 })));
    expect(responses.map((response) => [response.status, textsOf(response).length])).toEqual(names.map(() => [200, 2]));
  });

  it('stands in the list with its parent', async () => {
    expect(await listed(conch.url)).toEqual([
      ['ensemble', 'ensemble', null],
      ['ensemble_lora_poems', 'ensemble', 'ensemble'],
      ['ensemble_lora_sql', 'ensemble', 'ensemble'],
      ['ensemble_lora_wide', 'ensemble', 'ensemble'],
      ['llmapi', 'llmapi', null],
      ['tensorrt_llm_bls', 'tensorrt_llm_bls', null],
      ['tensorrt_llm_bls_lora_text', 'tensorrt_llm_bls', 'tensorrt_llm_bls'],
    ]);
  });

  it('that is unknown, or behind a model without inputs for it, is a 404', async () => {
    const unknown = await complete('ensemble_lora_zzz');
    const without = await complete('llmapi_lora_poems');
    expect([unknown.status, unknown.body, without.status, without.body]).toEqual([
      404,
      failure('This model has no LoRA adapter named zzz. It has: poems, sql, wide.', 'model', 'model_not_found'),
      404,
      failure(
        'The model "llmapi" does not support LoRA adapters: it has no inputs lora_task_id, lora_weights and lora_config.',
        'model',
        'model_not_found',
      ),
    ]);
  });
});

describe('loading and unloading while it runs', () => {
  const load = (body: object): Promise<Response> => post(`${conch.url}/v1/load_lora_adapter`, body);
  const unload = (body: object): Promise<Response> => post(`${conch.url}/v1/unload_lora_adapter`, body);

  it('makes a folder an adapter, from the next request on, until it is unloaded', async () => {
    write('loaded/late', 4.5);
    const loaded = await load({ lora_name: 'late', lora_path: 'late', model: 'ensemble' });
    expect([loaded.status, loaded.text]).toEqual([200, "Success: LoRA adapter 'late' added successfully."]);
    const first = loraOf(await complete('ensemble_lora_late'));
    expect(first).toEqual(sent(first['lora_task_id'], 4.5));
    expect(first['lora_task_id']).toBeGreaterThan(2 ** 50);
    expect(await listed(conch.url)).toContainEqual(['ensemble_lora_late', 'ensemble', 'ensemble']);
    const removed = await unload({ lora_name: 'late' });
    expect([removed.status, removed.text]).toEqual([200, "Success: LoRA adapter 'late' removed successfully."]);
    expect((await complete('ensemble_lora_late')).status).toBe(404);
    expect((await unload({ lora_name: 'late' })).body).toEqual(
      failure('lora_name: the LoRA adapter late does not exist.', 'lora_name', 'not_found'),
    );
  });

  it('never answers with old weights under a new name, or the other way round', async () => {
    write('loaded/changing', 5.5);
    const adapter = { lora_name: 'changing', lora_path: join(folder, 'loaded', 'changing'), model: 'ensemble' };
    expect((await load(adapter)).status).toBe(200);
    const before = loraOf(await complete('ensemble_lora_changing'));
    write('loaded/changing', 6.5);
    expect((await load(adapter)).body).toEqual(
      failure('lora_name: the LoRA adapter changing is already loaded. Unload it first.', 'lora_name'),
    );
    expect((await load({ ...adapter, load_inplace: true })).status).toBe(200);
    const after = loraOf(await complete('ensemble_lora_changing'));
    expect(after).toEqual(sent(after['lora_task_id'], 6.5));
    expect(after['lora_task_id']).not.toBe(before['lora_task_id']);
  });

  it('refuses paths that climb out of the folder, are nothing, or hold something else', async () => {
    write('outside', 1);
    symlinkSync(join(folder, 'outside'), join(folder, 'loaded', 'link'));
    mkdirSync(join(folder, 'loaded', 'empty'));
    const outside = failure('lora_path: the path must be inside the --lora-root folder.', 'lora_path');
    const refused: [string, number, object][] = [
      ['../outside', 400, outside],
      [join(folder, 'outside'), 400, outside],
      ['link', 400, outside],
      ['a\0b', 400, outside],
      ['.', 400, outside],
      ['nowhere', 404, failure('lora_path: nowhere does not exist.', 'lora_path', 'not_found')],
      ['empty', 400, failure('lora_path: empty/model.lora_weights.npy does not exist.', 'lora_path')],
    ];
    for (const [path, status, body] of refused) {
      const response = await load({ lora_name: 'x', lora_path: path, model: 'ensemble' });
      expect([path, response.status, response.body]).toEqual([path, status, body]);
    }
  });

  it('asks for the model where several could be meant, and refuses one that takes none', async () => {
    const [several, llmapi, nameless] = await Promise.all([
      load({ lora_name: 'x', lora_path: 'late' }),
      load({ lora_name: 'x', lora_path: 'late', model: 'llmapi' }),
      load({ lora_path: 'late' }),
    ]);
    expect([several.body, llmapi.status, nameless.body]).toEqual([
      failure(
        'model: several models support LoRA adapters: ensemble, tensorrt_llm_bls. Set model to one of them.',
        'model',
      ),
      404,
      failure('The field lora_name is required.', 'lora_name'),
    ]);
  });
});

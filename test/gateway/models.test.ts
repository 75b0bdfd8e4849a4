import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Conch, startConch } from '../support/conch.ts';
import { inRoot, tokenizerFolder } from '../support/environment.ts';
import { llamaTokenizer, post, startGateway } from '../support/gateway.ts';

const triton = `127.0.0.1:${inject('triton').grpcPort}`;

const get = async (url: string, method = 'GET') => {
  const response = await fetch(url, { method });
  const { status, headers } = response;
  return { status, headers, body: (await response.json()) as Record<string, unknown> };
};

describe('the models', () => {
  let conch: Conch;
  const before = Math.floor(Date.now() / 1000);
  const folder = mkdtempSync(join(tmpdir(), 'conch-models-'));
  beforeAll(async () => {
    const config = join(folder, 'conch.yaml');
    writeFileSync(
      config,
      `models: {"org/alias": {serves: vllm-toy, context_length: 2048}, elsewhere: {serves: no-such-model}}`,
    );
    conch = await startGateway(...llamaTokenizer(), '--config', config);
    // The list does not wait for ever for tokenizers that are still being loaded; a chat does.
    for (const model of [
      'vllm-toy',
      'vllm-llama',
      'org/alias',
      'vllm-2410',
      'vllm-2502',
      'vllm-bos',
      'vllm-queue',
      'tokens-toy',
    ])
      await post(`${conch.url}/v1/chat/completions`, { model, messages: [{ role: 'user', content: 'x' }] });
    await post(`${conch.url}/v1/completions`, { model: 'vllm-embed', prompt: [1] });
  });
  afterAll(async () => {
    await conch.stop();
    rmSync(folder, { recursive: true });
  });

  const model = (
    id: string,
    own: {
      root?: string;
      parent?: string;
      length?: number | null;
      isOld?: boolean;
      embedding?: boolean;
      contract?: string;
    } = {},
  ) => ({
    id,
    object: 'model',
    created: expect.any(Number),
    owned_by: 'triton',
    root: own.root ?? id,
    parent: own.parent ?? null,
    version: '1',
    max_model_len: own.length === undefined ? 131_072 : own.length,
    contract: own.contract ?? 'vllm',
    capabilities: {
      completion: true,
      chat: true,
      // The template of Llama 3 has no place for tools, and its models do not reason.
      tools: !id.startsWith('vllm-llama'),
      reasoning: !id.startsWith('vllm-llama'),
      guided_decoding: !own.isOld,
      // Its tokenizer has no image token either.
      images: !own.isOld && !id.startsWith('vllm-llama'),
      logprobs: !own.isOld,
      logit_bias: own.contract === 'conch-tokens',
      token_ids: true,
      embedding: own.embedding ?? true,
      rerank: false,
      classify: false,
    },
  });
  /** Its refusal of the completion above has told that it makes embeddings alone. */
  const learnt = model('vllm-embed');
  const ownAbilities = Object.keys(learnt.capabilities).map((name) => [
    name,
    ['embedding', 'token_ids'].includes(name),
  ]);
  const tokens = { contract: 'conch-tokens', embedding: false } as const;
  const all = [
    model('tokens-toy', tokens),
    ...['poems', 'sql'].map((adapter) =>
      model(`tokens-toy_lora_${adapter}`, { ...tokens, root: 'tokens-toy', parent: 'tokens-toy' }),
    ),
    model('vllm-2410', { isOld: true, embedding: false }),
    model('vllm-2502', { embedding: false }),
    model('vllm-bos'),
    { ...learnt, contract: 'embedding', capabilities: Object.fromEntries(ownAbilities) },
    model('vllm-llama', { length: null }),
    ...['lora_a', 'lora_b'].map((adapter) =>
      model(`vllm-llama_lora_${adapter}`, { root: 'vllm-llama', parent: 'vllm-llama', length: null }),
    ),
    model('vllm-queue'),
    model('vllm-toy'),
    model('org/alias', { root: 'vllm-toy', length: 2048 }),
  ];

  it.each([
    ['GET', '/v1/models'],
    ['POST', '/v1/models'],
    ['GET', '/models'],
    ['POST', '/models'],
    ['GET', '/v1/models/'],
  ])('%s %s lists those that are served', async (method, path) => {
    const { status, body } = await get(conch.url + path, method);
    expect([status, body]).toEqual([200, { object: 'list', data: all }]);
    for (const { created } of body['data'] as { created: number }[]) {
      expect(created).toBeGreaterThanOrEqual(before);
      expect(created).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
    }
  });

  it.each([
    ['GET', '/v1/models/vllm-toy', 'vllm-toy'],
    ['POST', '/v1/models/vllm-toy', 'vllm-toy'],
    ['GET', '/models/vllm-2410', 'vllm-2410'],
    ['POST', '/models/vllm-llama', 'vllm-llama'],
    ['GET', '/v1/models/org/alias', 'org/alias'],
    ['GET', '/models/org%2Falias', 'org/alias'],
  ])('%s %s is one of them', async (method, path, id) => {
    const { status, body } = await get(conch.url + path, method);
    expect([status, body]).toEqual([200, all.find((one) => one.id === id)]);
  });

  it.each([
    ['/v1/models/nothing', 'The model "nothing" does not exist.'],
    ['/models/elsewhere', 'The model "elsewhere" does not exist.'],
    ['/v1/models/add-two', 'The model "add-two" does not exist. It is not served: no contract fits its tensors.'],
  ])('%s is a 404', async (path, message) => {
    const { status, body } = await get(conch.url + path);
    expect([status, body]).toEqual([
      404,
      { error: { message, type: 'invalid_request_error', param: 'model', code: 'model_not_found' } },
    ]);
  });

  it('are ready', async () => {
    for (const path of ['/health/ready', '/v1/health/ready', '/health/live']) {
      const { status, body } = await get(conch.url + path);
      expect([status, body]).toEqual([200, { status: path.endsWith('live') ? 'live' : 'ready' }]);
    }
  });
});

describe('conch models', () => {
  const run = (...flags: string[]) =>
    promisify(execFile)(process.execPath, [inRoot('dist/main.js'), 'models', ...flags]).then(
      ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
      (error: { stdout: string; stderr: string; code: number }) => error,
    );
  /** The cells of the table, without the padding between them. */
  const cells = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));

  it('prints every model of the server, and why one is not offered', async () => {
    const qwen = tokenizerFolder('qwen3');
    const { stdout, code } = await run('--triton', triton, '--tokenizer', `vllm-toy=${qwen}`);
    expect(code).toBe(0);
    const plain = (name: string) => [name, '1', triton, 'vllm', '-', 'READY'];
    expect(cells(stdout)).toEqual([
      ['MODEL', 'VERSION', 'SERVER', 'CONTRACT', 'TOKENIZER', 'STATE'],
      ['add-one', '1', triton, '-', '-', 'READY', 'not served: it is part of add-two'],
      ['add-two', '1', triton, '-', '-', 'READY', 'not served: no contract fits its tensors'],
      ['tokens-toy', '1', triton, 'conch-tokens', '-', 'READY'],
      plain('vllm-2410'),
      plain('vllm-2502'),
      plain('vllm-bos'),
      plain('vllm-embed'),
      plain('vllm-llama'),
      plain('vllm-queue'),
      ['vllm-toy', '1', triton, 'vllm', qwen, 'READY'],
    ]);
  });

  it('says which server does not answer, with exit code 1', async () => {
    const { stdout, code } = await run('--triton', '127.0.0.1:1');
    expect(code).toBe(1);
    expect(cells(stdout)[1]?.slice(0, 3)).toEqual(['-', '127.0.0.1:1', 'UNREACHABLE']);
  });

  it('is in the log at the start too', async () => {
    const conch = await startConch({ flags: ['--triton', triton] });
    try {
      const { models } = await conch.logged(({ message }) => message === 'models');
      const served = { version: '1', server: triton, contract: 'vllm', tokenizer: '-', state: 'READY', reason: '' };
      const other = { ...served, contract: '-' };
      expect(models).toEqual([
        { ...other, name: 'add-one', reason: 'it is part of add-two', isInner: true },
        { ...other, name: 'add-two', reason: 'no contract fits its tensors' },
        { ...served, name: 'tokens-toy', contract: 'conch-tokens' },
        ...['2410', '2502', 'bos', 'embed', 'llama', 'queue', 'toy'].map((name) => ({
          ...served,
          name: `vllm-${name}`,
        })),
      ]);
    } finally {
      await conch.stop();
    }
  });
});

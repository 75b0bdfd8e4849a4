import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchesOf, errorOf, remoteServer, textsOf, toyRequest } from '../grpc/remote.ts';
import { type RawRequest, send } from '../kserve/raw-request.ts';
import { freePorts } from '../support/ports.ts';
import { pulled } from '../support/pulled-responses.ts';
import { bearer, type Keyed, startKeyed } from './keyed.ts';

let conch: Keyed;
let httpPort: number;
let grpcPort: number;
beforeAll(async () => {
  [httpPort = 0, grpcPort = 0] = await freePorts(2);
  const keys = {
    all: {},
    toys: { models: ['vllm-t*'] },
    old: { expires: '2020-01-01' },
    counted: { tokens_per_minute: 5 },
    ...Object.fromEntries(['http', 'unary', 'stream'].map((name) => [name, { requests_per_minute: 2 }])),
    'one-grpc': { concurrent: 1 },
  };
  const ports = ['--kserve-http-port', String(httpPort), '--kserve-grpc-port', String(grpcPort)];
  conch = await startKeyed(keys, '--enable-kserve-frontends', ...ports);
  await conch.logged(({ message }) => String(message).startsWith('KServe listens on grpc:'));
});
afterAll(() => conch.end());

const json = (value: unknown): string => JSON.stringify(value);

async function ask(name: string, request: RawRequest) {
  const { status, headers, body } = await send(httpPort, { ...request, headers: bearer(name) });
  const text = body.toString();
  return { status, headers, body: text.startsWith('{') || text.startsWith('[') ? (JSON.parse(text) as unknown) : text };
}

const generate = (model = 'vllm-toy'): RawRequest => ({
  path: `/v2/models/${model}/generate`,
  body: json({ text_input: 'hi', stream: false, sampling_parameters: json({ max_tokens: 3 }) }),
});
const denied = (model: string) => ({ error: `This API key does not have access to the model "${model}".` });

function grpc(name: string) {
  return remoteServer(grpcPort, { metadata: bearer(name) });
}

async function using<Result>(name: string, use: (server: ReturnType<typeof grpc>) => Promise<Result>): Promise<Result> {
  const server = grpc(name);
  try {
    return await use(server);
  } finally {
    await server.close();
  }
}

describe('over HTTP', () => {
  it('keys open, or not', async () => {
    expect((await ask('all', generate())).status).toBe(200);
    expect(await ask('nobody', generate())).toMatchObject({
      status: 401,
      body: { error: 'Incorrect API key provided. Check the key and try again.' },
    });
    expect(await ask('old', generate())).toMatchObject({
      status: 401,
      body: { error: 'The API key "old" has expired.' },
    });
    const line = await conch.logged(({ key, path }) => key === 'all' && String(path).endsWith('/generate'));
    expect(line).toMatchObject({ status: 200, model: 'vllm-toy' });
  });

  it('a key sees its own models alone', async () => {
    expect((await ask('toys', generate())).status).toBe(200);
    const get = (path: string): RawRequest => ({ method: 'GET', path });
    for (const model of ['add-one', 'no-such-model']) {
      const paths = ['', '/config', '/stats', '/ready', '/trace/setting'].map((end) =>
        get(`/v2/models/${model}${end}`),
      );
      const posts = ['load', 'unload'].map((order) => ({ path: `/v2/repository/models/${model}/${order}` }));
      const infer = { path: `/v2/models/${model}/infer`, body: json({ inputs: [] }) };
      for (const request of [...paths, ...posts, generate(model), infer]) {
        const { status, body } = await ask('toys', request);
        expect([request.path, status, body]).toEqual([request.path, 403, denied(model)]);
      }
    }
    const index = async (name: string) => {
      const { body } = await ask(name, { path: '/v2/repository/index' });
      return (body as { name: string }[]).map((model) => model.name);
    };
    const all = await index('all');
    expect(all).toEqual(expect.arrayContaining(['add-one', 'vllm-toy', 'vllm-llama']));
    expect(await index('toys')).toEqual(['vllm-toy']);
    const statistics = await ask('toys', get('/v2/models/stats'));
    expect((statistics.body as { model_stats: { name: string }[] }).model_stats.map(({ name }) => name)).toEqual([
      'vllm-toy',
    ]);
  });

  it('a key has so many requests a minute', async () => {
    expect((await ask('http', generate())).status).toBe(200);
    // What is wrong counts too: it is counted before it is read.
    expect((await ask('http', { path: '/v2/models/add-one/infer', body: '{"inputs": []}' })).status).toBe(400);
    const refused = await ask('http', generate());
    expect([refused.status, refused.body]).toEqual([
      429,
      { error: expect.stringMatching(/^Rate limit reached for the API key "http": 2 requests per minute\./) },
    ]);
    expect(refused.headers).toMatchObject({
      'retry-after': expect.stringMatching(/^\d+$/),
      'x-ratelimit-limit-requests': '2',
      'x-ratelimit-remaining-requests': '0',
    });
    expect((await ask('http', { method: 'GET', path: '/v2/models/vllm-toy' })).status).toBe(200);
  });

  it('a key with a limit of tokens is refused where nobody counts them', async () => {
    expect(await ask('counted', generate())).toMatchObject({
      status: 403,
      body: {
        error:
          'This API key has a limit of tokens per minute, and the KServe API does not count tokens. Use the OpenAI API.',
      },
    });
    expect((await ask('counted', { method: 'GET', path: '/v2/models/vllm-toy' })).status).toBe(200);
  });
});

describe('over gRPC', () => {
  it('keys open, or not', async () => {
    expect(await using('all', (server) => textsOf(pulled(server, toyRequest({ answer: 'yes' }))))).toEqual(
      expect.arrayContaining([expect.stringContaining('yes')]),
    );
    expect(await using('old', (server) => errorOf(server.call('ServerMetadata', {})))).toMatchObject({
      code: 'UNAUTHENTICATED',
      message: 'The API key "old" has expired.',
    });
    expect(await using('nobody', (server) => server.call('ServerLive', {}))).toEqual({ live: true });
  });

  it('a key sees its own models alone', async () => {
    await using('toys', async (server) => {
      for (const model of ['add-one', 'no-such-model']) {
        const error = {
          code: 'PERMISSION_DENIED',
          message: `This API key does not have access to the model "${model}".`,
        };
        for (const method of ['ModelReady', 'ModelMetadata', 'ModelConfig', 'ModelStatistics'] as const)
          expect(await errorOf(server.call(method, { name: model, version: '' }))).toMatchObject(error);
        for (const method of ['RepositoryModelLoad', 'RepositoryModelUnload', 'TraceSetting'] as const)
          expect(await errorOf(server.call(method, { model_name: model }))).toMatchObject(error);
        expect(await errorOf(server.infer({ model, id: 'a', inputs: [] }))).toMatchObject(error);
        expect(await errorOf(batchesOf(pulled(server, { model, id: 'a', inputs: [] })))).toMatchObject({
          message: error.message,
        });
      }
      const { models } = await server.call('RepositoryIndex', {});
      expect(models.map(({ name }) => name)).toEqual(['vllm-toy']);
      const { model_stats: statistics } = await server.call('ModelStatistics', {});
      expect(statistics.map(({ name }) => name)).toEqual(['vllm-toy']);
    });
  });

  it('a key has so many requests a minute, each of a stream by itself', async () => {
    const message = expect.stringMatching(
      /^Rate limit reached for the API key "\w+": 2 requests per minute\./,
    ) as string;
    await using('unary', async (server) => {
      const unary = () => errorOf(server.infer({ model: 'no-such-model', id: 'a', inputs: [] }));
      expect([(await unary()).code, (await unary()).code]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
      expect(await unary()).toMatchObject({ code: 'RESOURCE_EXHAUSTED', message });
    });
    await using('stream', async (server) => {
      const ask = () => batchesOf(pulled(server, toyRequest({ answer: 'x' })));
      await ask();
      await ask();
      expect(await errorOf(ask())).toMatchObject({ message });
    });
  });

  it('a key has so many requests running at a time, and its places come back', async () => {
    await using('one-grpc', async (server) => {
      const running = pulled(server, toyRequest({ tokens: 3, hold_at: 1, tag: 'keys-grpc' }));
      await running.next();
      expect(await errorOf(batchesOf(pulled(server, toyRequest({ answer: 'x' }))))).toMatchObject({
        message: 'Concurrency limit reached for the API key "one-grpc": 1 running request. Wait until one ends.',
      });
      await using('all', (other) => batchesOf(pulled(other, toyRequest({ release: 'keys-grpc' }))));
      for await (const batch of running) expect(batch.length).toBeGreaterThan(0);
      expect((await batchesOf(pulled(server, toyRequest({ answer: 'x' })))).length).toBeGreaterThan(0);
    });
  });

  it('a key with a limit of tokens is refused where nobody counts them', async () => {
    await using('counted', async (server) => {
      expect(await errorOf(server.infer({ model: 'vllm-toy', id: 'a', inputs: [] }))).toMatchObject({
        code: 'PERMISSION_DENIED',
        message:
          'This API key has a limit of tokens per minute, and the KServe API does not count tokens. Use the OpenAI API.',
      });
    });
  });
});

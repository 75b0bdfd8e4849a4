import pino from 'pino';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createKserveGrpc } from '../../src/apis/kserve/grpc-frontend.ts';
import { openRegistry } from '../../src/keys/key-registry.ts';
import type { CallOptions, InferenceServer } from '../../src/kserve/server.ts';
import { LocalGates } from '../../src/limits/local-gates.ts';
import { LocalRates } from '../../src/limits/local-rates.ts';
import { type RawRequest, send } from '../kserve/raw-request.ts';
import type { Conch } from '../support/conch.ts';
import { startTriton, type Triton } from '../support/triton.ts';
import { grpcStatus } from './grpc-status.ts';
import { holdsSecret, keyOf, type Restriction, restrictions, startRestricted, withRestricted } from './restrictions.ts';

// gRPC clients send lower case alone, and Triton compares its own spelling with that.
const inference = { ...restrictions.inference, header: 'user-key' };
const { repository, health } = restrictions;
const prefix = 'triton-grpc-protocol-';

const open = inject('triton');
let restricted: Triton;
let conch: Conch;
let httpPort: number;
let grpcPort: number;

beforeAll(async () => {
  const rule = ({ header, value }: Restriction, apis: string) => `${apis}:${header}=${value}`;
  restricted = await startTriton({
    repository: 'test/models',
    modelControl: 'explicit',
    loadModels: ['add-one'],
    extraArguments: [
      // Whoever starts this server asks for its health over HTTP without a header.
      `--http-restricted-api=${rule(inference, 'inference')}`,
      `--http-restricted-api=${rule(repository, 'model-repository')}`,
      `--grpc-restricted-protocol=${rule(inference, 'inference')}`,
      `--grpc-restricted-protocol=${rule(repository, 'model-repository')}`,
      `--grpc-restricted-protocol=${rule(health, 'health')}`,
    ],
  });
  const flags = [inference, repository, health].flatMap(({ apis, header, value }) => [
    '--openai-restricted-api',
    apis,
    header,
    value,
  ]);
  const ports = ['--kserve-http-port', '0', '--kserve-grpc-port', '0'];
  conch = await startRestricted([...flags, '--enable-kserve-frontends', ...ports]);
  const portOf = async (scheme: string) => {
    const line = await conch.logged(({ message }) => String(message).startsWith(`KServe listens on ${scheme}:`));
    return Number(String(line['message']).split(':').at(-1));
  };
  httpPort = await portOf('http');
  grpcPort = await portOf('grpc');
});
afterAll(() => Promise.all([conch.stop(), restricted.stop()]));

const display = async (port: number, request: RawRequest) => {
  const { status, headers, body } = await send(port, request);
  return { request, status, headers, body: body.toString() };
};

const numbers = JSON.stringify({ inputs: [{ name: 'number', datatype: 'INT32', shape: [1], data: [1] }] });
const prompt = JSON.stringify({ text_input: 'Hello', stream: false });
const inferences: readonly RawRequest[] = [
  { path: '/v2/models/add-one/infer', body: numbers },
  { path: '/v2/models/add-one/versions/1/infer', body: numbers },
  { path: '/v2/models/vllm-toy/generate', body: prompt },
  { path: '/v2/models/vllm-toy/generate_stream', body: prompt },
  { path: '/v2/models/nobody/infer', body: '{' },
  { method: 'GET', path: '/v2/models/add-one/infer' },
];
const repositories: readonly RawRequest[] = [
  { path: '/v2/repository/index' },
  { path: '/v2/repository/other/index' },
  { path: '/v2/repository/models/nobody/load' },
  { path: '/v2/repository/models/nobody/unload' },
  { method: 'GET', path: '/v2/repository/index' },
];
const healthChecks: readonly RawRequest[] = ['/v2/health/live', '/v2/health/ready', '/v2/models/add-one/ready'].map(
  (path) => ({ method: 'GET', path }),
);
const others: readonly RawRequest[] = [
  '/v2',
  '/v2/models/add-one',
  '/v2/models/add-one/config',
  '/v2/logging',
  '/v2/trace/setting',
  '/v2/nothing',
].map((path) => ({ method: 'GET', path }));

function wrongHeaders({ header, value }: Restriction): readonly Record<string, string>[] {
  return [{}, { [header]: 'wrong' }, { [`${prefix}${header}`]: value }];
}

it.each([
  ['inference', inference, inferences],
  ['model-repository', repository, repositories],
] as [string, Restriction, readonly RawRequest[]][])(
  '%s is refused over HTTP byte for byte as Triton refuses it',
  async (_name, restriction, requests) => {
    for (const request of requests)
      for (const headers of wrongHeaders(restriction))
        expect(await display(httpPort, { ...request, headers })).toEqual(
          await display(restricted.httpPort, { ...request, headers }),
        );
  },
);

describe.each([
  ['inference', inference, inferences],
  ['model-repository', repository, repositories],
  ['health', health, healthChecks],
] as [string, Restriction, readonly RawRequest[]][])('%s over HTTP', (_name, restriction, requests) => {
  it('is refused without the header', async () => {
    const body = `{"error":"This API is restricted, expecting header '${restriction.header}'"}`;
    const headers = { 'content-type': 'text/plain', 'content-length': String(body.length) };
    for (const request of requests)
      for (const value of wrongHeaders(restriction)) {
        const requested = { ...request, headers: value };
        expect(await display(httpPort, requested)).toEqual({ request: requested, status: 403, headers, body });
      }
  });

  it('is answered with it as by an open Triton', async () => {
    for (const request of requests) {
      const requested = { ...request, headers: { [restriction.header.toUpperCase()]: restriction.value } };
      expect(await display(httpPort, requested)).toEqual(await display(open.httpPort, requested));
    }
  });
});

const service = '/inference.GRPCInferenceService/';

describe.each([
  ['inference', inference, ['ModelInfer', 'ModelStreamInfer'].map((method) => service + method)],
  [
    'model-repository',
    repository,
    ['RepositoryIndex', 'RepositoryModelLoad', 'RepositoryModelUnload'].map((method) => service + method),
  ],
  [
    'health',
    health,
    [...['ServerLive', 'ServerReady', 'ModelReady'].map((method) => service + method), '/grpc.health.v1.Health/Check'],
  ],
] as [string, Restriction, readonly string[]][])('%s over gRPC', (_name, restriction, paths) => {
  const header = `${prefix}${restriction.header}`;

  it('is refused without the header as Triton refuses it', async () => {
    const refusal = { status: '14', message: `This protocol is restricted, expecting header '${header}'` };
    for (const path of paths)
      for (const metadata of [{}, { [header]: 'wrong' }, keyOf(restriction)]) {
        expect([path, await grpcStatus(grpcPort, path, metadata)]).toEqual([path, refusal]);
        expect([path, await grpcStatus(restricted.grpcPort, path, metadata)]).toEqual([path, refusal]);
      }
  });

  it('is answered with it as by an open Triton', async () => {
    const metadata = { [header]: restriction.value };
    for (const path of paths)
      expect([path, await grpcStatus(grpcPort, path, metadata)]).toEqual([
        path,
        await grpcStatus(open.grpcPort, path, metadata),
      ]);
  });
});

describe('the KServe frontends', () => {
  it('leave open what Triton has other names for', async () => {
    for (const request of others)
      expect(await display(httpPort, request)).toEqual(await display(open.httpPort, request));
    const path = `${service}ServerMetadata`;
    expect(await grpcStatus(grpcPort, path)).toEqual(await grpcStatus(open.grpcPort, path));
  });

  it('log no value', async () => {
    const last = '/v2/last';
    await send(httpPort, { path: last });
    await conch.logged(({ path }) => path === last);
    expect(holdsSecret(JSON.stringify(conch.log()))).toBe(false);
  });

  it('keep the headers to themselves', async () => {
    const passedOn: unknown[] = [];
    const server = {
      call: (_method: string, _request: object, { metadata }: CallOptions) => {
        passedOn.push(metadata);
        return Promise.resolve({ models: [] });
      },
    } as unknown as InferenceServer;
    const frontend = createKserveGrpc({
      server,
      sharedMemory: false,
      maxMessageSize: 1000,
      keys: openRegistry,
      keyLimits: { rates: new LocalRates(), gates: new LocalGates() },
      restrictedApis: [{ apis: ['model-repository'], header: 'Admin-Key', value: 'word' }],
      logger: pino({ level: 'silent' }),
    });
    const port = await frontend.listen({ host: '127.0.0.1', port: 0 });
    const metadata = { [`${prefix}admin-key`]: 'word', [`${prefix}other`]: 'x' };
    expect(await grpcStatus(port, `${service}RepositoryIndex`, metadata)).toEqual({ status: '0', message: undefined });
    expect(passedOn).toEqual([{ [`${prefix}other`]: 'x' }]);
    await frontend.close();
  });

  it('want the key as well', async () => {
    const authorization = 'Bearer secret';
    const ports = ['--kserve-http-port', '0', '--kserve-grpc-port', '0'];
    const flags = ['--openai-restricted-api', `model-repository admin-key ${repository.value}`, '--api-key', 'secret'];
    await withRestricted([...flags, '--enable-kserve-frontends', ...ports], {}, async (both) => {
      const line = await both.logged(({ message }) => String(message).startsWith('KServe listens on grpc:'));
      const port = Number(String(line['message']).split(':').at(-1));
      const path = `${service}RepositoryIndex`;
      const header = { [`${prefix}admin-key`]: repository.value };
      expect([
        await grpcStatus(port, path, header),
        await grpcStatus(port, path, { authorization }),
        await grpcStatus(port, path, { ...header, authorization }),
      ]).toEqual([
        { status: '16', message: 'No API key. Send it in the header "Authorization: Bearer KEY".' },
        { status: '14', message: "This protocol is restricted, expecting header 'triton-grpc-protocol-admin-key'" },
        { status: '0', message: undefined },
      ]);
    });
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { DynamoFrontend, vllmTensors } from '../../../test/support/dynamo-frontend.ts';
import type { ControlMethod } from '../../kserve/messages.ts';
import { StatusError } from '../../kserve/status.ts';
import { KserveCalls } from './kserve-calls.ts';
import { RemoteServer } from './remote-server.ts';

const channel = { connectTimeout: 30_000, keepaliveInterval: 0, maxMessageSize: 2 ** 20, metadata: {} };
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const models = [{ name: 'llama', config: vllmTensors }, { name: 'plain' }];

/** A client of a Dynamo frontend for which the settings name these models. */
async function connect(names: readonly string[], lacks: readonly ControlMethod[] = []) {
  const dynamo = new DynamoFrontend({ models, lacks });
  const port = await dynamo.listen();
  const remote = new RemoteServer({ ...channel, host: '127.0.0.1', port, modelNames: () => names });
  closers.push(async () => {
    await remote.close();
    dynamo.close();
  });
  return { remote, dynamo };
}

const ready = (name: string) => ({ name, version: '1', state: 'READY', reason: '' });

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof StatusError ? [error.code, error.message] : error;
}

describe('a server without a model index', () => {
  it('has the models of the settings that it knows', async () => {
    const { remote, dynamo } = await connect(['llama', 'other', 'plain']);
    expect(await remote.call('RepositoryIndex', {})).toEqual({ models: [ready('llama'), ready('plain')] });
    dynamo.models = models.slice(1);
    expect(await remote.call('RepositoryIndex', {})).toEqual({ models: [ready('plain')] });
  });

  it('needs the names of its models', async () => {
    const { remote } = await connect([]);
    expect(await errorOf(remote.call('RepositoryIndex', {}))).toEqual([
      'UNIMPLEMENTED',
      'The server has no model index (RepositoryIndex), so its models must be set. Set --triton-model NAME for each.',
    ]);
  });

  it('is no KServe server without ModelReady', async () => {
    const { remote } = await connect(['llama'], ['ModelReady']);
    expect(await errorOf(remote.call('RepositoryIndex', {}))).toEqual([
      'UNIMPLEMENTED',
      'The server implements neither RepositoryIndex nor ModelReady. Set --triton to the gRPC port of a KServe v2 server.',
    ]);
  });

  it('gives configurations, from the metadata where it has none', async () => {
    const { remote } = await connect(['llama']);
    const reference = { name: 'llama', version: '1' };
    const whole = await remote.call('ModelConfig', reference);
    expect(whole.config).toMatchObject({ backend: 'vllm', input: vllmTensors.input });
    const { remote: poorer } = await connect(['llama'], ['ModelConfig']);
    expect(await poorer.call('ModelConfig', reference)).toEqual({
      config: {
        name: 'llama',
        platform: '',
        backend: '',
        max_batch_size: 0,
        parameters: {},
        input: vllmTensors.input.map(({ name, data_type, dims }) => ({ name, data_type, dims })),
        output: vllmTensors.output,
        model_transaction_policy: { decoupled: true },
      },
    });
  });

  it('passes on the errors of other calls and of a failing server', async () => {
    const { remote } = await connect(['llama']);
    expect(await errorOf(remote.call('ServerMetadata', {}))).toEqual(['UNIMPLEMENTED', '']);
    expect(await errorOf(remote.call('ModelConfig', { name: 'other', version: '' }))).toEqual([
      'NOT_FOUND',
      "Model 'other' not found",
    ]);
  });
});

/** The index of a server that responds in this way to ModelReady and ModelMetadata. */
function indexOf(respond: (method: string) => unknown, request = {}) {
  const call = async (method: string): Promise<never> => {
    if (method === 'RepositoryIndex') throw new StatusError('UNIMPLEMENTED', '');
    const response = respond(method);
    if (response instanceof Error) throw response;
    return response as never;
  };
  return new KserveCalls(call, () => ['m']).call('RepositoryIndex', request, {});
}

describe('a model of a server without a model index', () => {
  const metadata = { name: 'm', versions: ['2', '10', '9'], platform: '', inputs: [], outputs: [] };

  it('has the newest version of its metadata', async () => {
    const { models: rows } = await indexOf((method) => (method === 'ModelReady' ? { ready: true } : metadata));
    expect(rows).toEqual([{ name: 'm', version: '10', state: 'READY', reason: '' }]);
  });

  it('is not ready if its server says so, and is no part of the index of ready models', async () => {
    const respond = (method: string) => (method === 'ModelReady' ? { ready: false } : metadata);
    const reason = 'the server reports that it is not ready';
    expect(await indexOf(respond)).toEqual({ models: [{ name: 'm', version: '10', state: 'UNAVAILABLE', reason }] });
    expect(await indexOf(respond, { ready: true })).toEqual({ models: [] });
  });

  it('fails with its server', async () => {
    const lost = new StatusError('UNAVAILABLE', 'lost', { unreachable: true });
    expect(await errorOf(indexOf(() => lost))).toEqual(['UNAVAILABLE', 'lost']);
  });
});

it('has the states of Triton where a server writes them differently', async () => {
  const row = { name: 'm', version: '', reason: '' };
  const states = ['State.READY', 'State.UNAVAILABLE', 'READY', ''];
  const call = async (): Promise<never> => ({ models: states.map((state) => ({ ...row, state })) }) as never;
  const { models: rows } = await new KserveCalls(call, () => []).call('RepositoryIndex', {}, {});
  expect(rows.map(({ state }) => state)).toEqual(['READY', 'UNAVAILABLE', 'READY', '']);
});

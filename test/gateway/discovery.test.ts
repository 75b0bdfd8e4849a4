import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Conch, startConch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { post, type Response } from '../support/gateway.ts';
import { freePorts } from '../support/ports.ts';
import { startTriton, type Triton, type TritonPorts } from '../support/triton.ts';

/** The tritonserver that comes and goes, always on the same ports. */
let ports: TritonPorts;
let triton: Triton | undefined;
let conch: Conch;
const folder = mkdtempSync(join(tmpdir(), 'conch-discovery-'));
const gate = join(folder, 'gate');

const startServer = async (...loadModels: string[]): Promise<void> => {
  const environment = { CONCH_TEST_LOAD_GATE: gate };
  const repository = 'test/models-explicit';
  triton = await startTriton({ repository, modelControl: 'explicit', loadModels, ports, environment });
};

beforeAll(async () => {
  const [grpcPort = 0, httpPort = 0, metricsPort = 0] = await freePorts(3);
  ports = { grpcPort, httpPort, metricsPort };
  const flags = ['--triton', `127.0.0.1:${grpcPort}`, '--refresh-interval', '100ms'];
  conch = await startConch({ flags, waitsUntilReady: false });
});
afterAll(async () => {
  await conch.stop();
  await triton?.stop();
  rmSync(folder, { recursive: true });
});

/** Asks Triton itself to load or unload a model. */
const tell = async (order: 'load' | 'unload', model: string): Promise<void> => {
  const url = `http://127.0.0.1:${ports.httpPort}/v2/repository/models/${model}/${order}`;
  const { status } = await fetch(url, { method: 'POST', body: '{}' });
  expect(status).toBe(200);
};

interface ModelRow {
  readonly name: string;
  readonly state: string;
}

let tables = 0;

/** Resolves when Conch logs a table, after the last one that was waited for, in which this model is in this state. */
const logged = async (model: string, expected: string): Promise<void> => {
  const isTable = ({ message }: Record<string, unknown>): boolean => message === 'models';
  await conch.logged((line) => {
    const at = conch.log().filter(isTable).indexOf(line);
    const rows = at < tables ? [] : (line['models'] as ModelRow[]);
    if (!rows.some(({ name, state }) => name === model && state === expected)) return false;
    tables = at + 1;
    return true;
  });
};

const complete = (model: string): Promise<Response> =>
  post(`${conch.url}/v1/completions`, { model, prompt: directive({ answer: 'here' }) });
const seen = ({ status, headers, body }: Response) => ({ status, body, retryAfter: headers.get('retry-after') });
const health = async (path: string) => {
  const response = await fetch(conch.url + path);
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() };
};
const notReady = (reason: string) => ({ status: 503, retryAfter: '2', body: { status: 'not ready', reason } });
const ready = { status: 200, retryAfter: null, body: { status: 'ready' } };
const failure = (status: number, code: string, message: string, param: string | null, retryAfter: string | null) => {
  const type = status === 404 ? 'invalid_request_error' : 'server_error';
  return { status, body: { error: { message, type, param, code } }, retryAfter };
};

// One story, told in order: each chapter begins where the last one ended.
describe.sequential('a server that comes and goes', () => {
  const silence = failure(503, 'server_not_ready', 'No inference server is reachable. Try again later.', null, '2');

  it('is waited for: Conch starts, says so and is not ready', async () => {
    const line = await conch.logged(({ message }) => String(message).includes('is unreachable'));
    expect(line).toMatchObject({ level: 'warn' });
    expect(String(line['message'])).toContain(`127.0.0.1:${ports.grpcPort}`);
    for (const path of ['/health/ready', '/v1/health/ready'])
      expect(await health(path)).toEqual(notReady('No inference server is reachable.'));
    expect(await health('/health/live')).toEqual({ status: 200, retryAfter: null, body: { status: 'live' } });
    expect(seen(await complete('vllm-quick'))).toEqual(silence);
    const models = await fetch(`${conch.url}/v1/models`);
    expect(await models.json()).toEqual({ object: 'list', data: [] });
  });

  it('may answer without a model', async () => {
    await startServer();
    await logged('vllm-quick', 'NOT LOADED');
    expect(await health('/health/ready')).toEqual(notReady('No model is ready.'));
    expect(seen(await complete('vllm-quick'))).toMatchObject({
      status: 404,
      body: { error: { code: 'model_not_found' } },
    });
  });

  it('has a model that is served as soon as it is loaded', async () => {
    await tell('load', 'vllm-quick');
    await logged('vllm-quick', 'READY');
    expect(await health('/health/ready')).toEqual(ready);
    expect((await complete('vllm-quick')).body).toMatchObject({ choices: [{ text: 'here' }] });
  });

  it('has a model that is not ready while it loads', async () => {
    const loaded = tell('load', 'slow-start');
    await logged('slow-start', 'LOADING');
    expect(seen(await complete('slow-start'))).toEqual(
      failure(503, 'model_not_ready', 'The model slow-start is loading. Try again later.', 'model', '2'),
    );
    expect((await complete('vllm-quick')).status).toBe(200);
    writeFileSync(gate, '');
    await loaded;
    await logged('slow-start', 'READY');
    expect((await complete('slow-start')).body).toMatchObject({ choices: [{ text: 'here' }] });
  });

  it('has a model that is refused as soon as it is unloaded', async () => {
    await tell('unload', 'vllm-quick');
    await logged('vllm-quick', 'UNAVAILABLE');
    expect(seen(await complete('vllm-quick'))).toEqual(
      failure(
        404,
        'model_not_found',
        'The model "vllm-quick" does not exist. It is not served: it is not loaded.',
        'model',
        null,
      ),
    );
    expect((await complete('slow-start')).status).toBe(200);
  });

  it('goes, and nothing is ready', async () => {
    await triton?.kill('SIGKILL');
    await logged('-', 'UNREACHABLE');
    expect(await health('/health/ready')).toEqual(notReady('No inference server is reachable.'));
    expect(seen(await complete('slow-start'))).toEqual(silence);
  });

  it('comes back, and is served again without a restart', async () => {
    await startServer('vllm-quick');
    await logged('vllm-quick', 'READY');
    expect(await health('/health/ready')).toEqual(ready);
    expect((await complete('vllm-quick')).body).toMatchObject({ choices: [{ text: 'here' }] });
  });
});

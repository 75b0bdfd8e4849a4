import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CombinedServer } from '../../src/servers/combined/combined-server.ts';
import { remoteServer } from '../grpc/remote.ts';
import { balancerWith } from '../support/balance-fixtures.ts';
import { startConch } from '../support/conch.ts';
import { inRoot } from '../support/environment.ts';
import { isReady, linkBackends, type Triton, tritonEnvironment, tritonProgram } from '../support/triton.ts';
import { askClients, askTriton, type ClientModels, type ClientResponses } from './clients.ts';
import {
  type Frontends,
  frontendFlags,
  frontendPorts,
  kserveModels,
  loadModel,
  startFrontends,
  startKserveTriton,
} from './frontends.ts';

const count = (value: number) => ({ name: 'COUNT', datatype: 'INT32', shape: [1], data: [value] });

const values = { name: 'VALUES', datatype: 'FP32', shape: [2, 3], data: [0.5, 1, -3, 2e9, 0.25, 7] };

const responding: ClientModels = {
  plain: { name: 'batched', inputs: [values], outputs: ['SCORES'] },
  decoupled: {
    name: 'repeat',
    inputs: [count(3)],
    faulty: [count(1), { name: 'FAULT', datatype: 'BYTES', shape: [2], data: ['UNAVAILABLE', 'it ended ä'] }],
    generate: { COUNT: 1 },
  },
};

const models: ClientModels = {
  ...responding,
  loadable: { name: 'batched', inputs: [values] },
  broken: { name: 'broken', inputs: [] },
};

/** Loading models takes its time. */
const patience = 240_000;

let triton: Triton;
let direct: ClientResponses;
const started: Frontends[] = [];

beforeAll(async () => {
  triton = await startKserveTriton();
  // What was never loaded looks different in the index from what failed once.
  await loadModel(triton, 'broken');
  direct = await askTriton(triton, models);
}, patience);

afterAll(async () => {
  await Promise.all(started.map(({ close }) => close()));
  await triton.stop();
});

describe("NVIDIA's clients", () => {
  it('are answered by Triton as they should be', () => {
    expect(direct['grpc']?.['a wrong shape']).toMatchObject({ status: 'StatusCode.INVALID_ARGUMENT' });
    expect(direct['http']?.['infer of a decoupled model']).toMatchObject({ status: '501' });
    expect(direct['grpc.aio']?.['stream']).toHaveLength(3);
    expect(direct['http.aio']?.['failed load']).toMatchObject({
      error: expect.stringContaining('this model never loads'),
    });
    for (const cases of Object.values(direct)) expect(Object.keys(cases).length).toBeGreaterThan(5);
  });

  it(
    'are answered the same by the frontends in front of it',
    async () => {
      const frontends = await startFrontends(remoteServer(triton.grpcPort));
      started.push(frontends);
      expect(await askClients(frontends, models, triton)).toEqual(direct);
    },
    patience,
  );

  it(
    'are answered the same by two servers that are combined',
    async () => {
      const servers = [remoteServer(triton.grpcPort), remoteServer(triton.grpcPort)];
      const server = new CombinedServer(() => servers, balancerWith());
      const frontends = await startFrontends(server);
      started.push(frontends);
      expect(await askClients(frontends, responding, triton)).toEqual(await askTriton(triton, responding));
    },
    patience,
  );

  it(
    'are answered the same by a Conch that has started the tritonserver',
    async () => {
      const backends = mkdtempSync(join(tmpdir(), 'conch-clients-'));
      onTestFinished(() => rmSync(backends, { recursive: true }));
      linkBackends(backends);
      const repository = ['--model-repository', inRoot('test/kserve/models'), '--model-control-mode', 'explicit'];
      const program = ['--tritonserver', tritonProgram()];
      const loaded = kserveModels.flatMap((name) => ['--load-model', name]);
      const conch = await startConch({
        flags: [...repository, ...program, ...loaded, ...frontendFlags, '--', `--backend-directory=${backends}`],
        environment: tritonEnvironment(),
        waitsUntilReady: false,
      });
      onTestFinished(async () => void (await conch.stop()));
      const ports = await frontendPorts(conch);
      await expect.poll(() => isReady(ports.httpPort)).toBe(true);
      await loadModel(ports, 'broken');
      expect(await askClients(ports, models)).toEqual(direct);
    },
    patience,
  );
});

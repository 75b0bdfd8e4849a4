/** The real tritonserver of the tests, by default with the imitated vLLM model of test/models. */
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cacheFolder } from '../scripts/lib/cache.mjs';
import { inRoot } from '../scripts/lib/steps.mjs';
import { prepareTestCache } from '../scripts/lib/test-cache.mjs';
import { freePort, startProgram, until } from './processes.mjs';

export const TRITON_MODEL = 'vllm-toy';
const READY_MILLISECONDS = 60_000;

/** Only what `npm test` has fetched already: a benchmark does not download a server by surprise. */
function isFetched() {
  const folder = path.join(cacheFolder(), 'test');
  return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith('tritonserver-'));
}

/**
 * Starts it and waits until it is ready.
 * @param {{ repository?: string, models?: readonly string[] }} [options]
 */
export async function startTriton({ repository = inRoot('test/models'), models = [TRITON_MODEL] } = {}) {
  if (!isFetched()) {
    throw new Error(
      'No tritonserver is in the cache of the tests. `npm test -- test/triton.test.ts` fetches one; then try again.',
    );
  }
  const locations = await prepareTestCache();
  const server = path.join(locations['CONCH_TEST_TRITON'] ?? '', 'pytriton/tritonserver');
  const python = locations['CONCH_TEST_PYTHON'] ?? '';
  const backends = mkdtempSync(path.join(tmpdir(), 'conch-bench-backends-'));
  process.on('exit', () => rmSync(backends, { recursive: true, force: true }));
  symlinkSync(path.join(server, 'backends/python'), path.join(backends, 'python'));
  symlinkSync(inRoot('test/support/backends/vllm'), path.join(backends, 'vllm'));
  const [port, httpPort] = [await freePort(), await freePort()];
  const child = startProgram(
    python,
    [
      inRoot('test/support/guard.py'),
      String(process.pid),
      path.join(server, 'bin/tritonserver'),
      `--model-repository=${repository}`,
      '--model-control-mode=explicit',
      ...models.map((model) => `--load-model=${model}`),
      `--backend-directory=${backends}`,
      '--http-address=127.0.0.1',
      '--grpc-address=127.0.0.1',
      `--http-port=${httpPort}`,
      `--grpc-port=${port}`,
      '--allow-metrics=false',
      '--exit-timeout-secs=5',
    ],
    {
      ...locations,
      PATH: `${path.dirname(python)}:${process.env['PATH']}`,
      LD_LIBRARY_PATH: `${locations['CONCH_TEST_PYTHON_LIBRARIES']}:${path.join(locations['CONCH_TEST_TRITON'] ?? '', 'nvidia_pytriton.libs')}`,
      CONCH_TEST_SUPPORT: inRoot('test/support'),
    },
  );
  const isReady = async () => (await fetch(`http://127.0.0.1:${httpPort}/v2/health/ready`)).ok;
  await until(
    isReady,
    child.process,
    READY_MILLISECONDS,
    () => `tritonserver is not ready:\n${child.log().slice(-3000)}`,
  );
  return { pid: Number(child.process.pid), port, stop: child.stop };
}

import { availableParallelism, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { AgainReporter } from './test/support/again-reporter.ts';
import { DurationsReporter } from './test/support/durations-reporter.ts';
import { LongestFirst } from './test/support/longest-first.ts';

/** A file of the integration tests may run a tritonserver with several Python models, a Conch and a browser. */
const bytesPerWorker = 2 * 1024 ** 3;
/** Many files wait for servers to start and to end: more of them than cores keep the cores busy. */
const workersPerCore = 1.5;
const maxWorkers = Math.max(
  1,
  Math.min(Math.ceil(availableParallelism() * workersPerCore), Math.floor(totalmem() / bytesPerWorker)),
);

/** A limit only ends what hangs: on a busy machine everything takes several times as long. */
const patient = { testTimeout: 180_000, hookTimeout: 240_000, expect: { poll: { timeout: 60_000 } } };

// oxlint-disable-next-line import/no-default-export -- vitest reads the default export
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers,
    reporters: ['default', new DurationsReporter(), new AgainReporter()],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,web}/**/*.test.ts', '{bench,scripts}/**/*.test.mjs'],
          globalSetup: ['test/support/unit-setup.ts'],
          // Loading the modules again for every file takes longer than the tests.
          isolate: false,
          maxWorkers: availableParallelism(),
          expect: { poll: { timeout: 30_000 } },
          alias: [
            {
              find: /^.*\/worker-file\.ts$/,
              replacement: fileURLToPath(new URL('test/support/unit-worker-file.ts', import.meta.url)),
            },
          ],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: ['test/bench/guard.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          setupFiles: ['test/support/await-triton.ts'],
          ...patient,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'guard',
          include: ['test/bench/guard.test.ts'],
          // Alone, as it measures.
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'soak',
          include: ['test/**/*.soak.ts'],
          exclude: ['test/vllm/**'],
          globalSetup: ['test/support/global-setup.ts'],
          setupFiles: ['test/support/await-triton.ts'],
          ...patient,
          testTimeout: 3_600_000,
          sequence: { groupOrder: 3 },
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'vllm',
          include: ['test/vllm/*.soak.ts'],
          testTimeout: 300_000,
          fileParallelism: false,
          // After all others: its engines take every core.
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});

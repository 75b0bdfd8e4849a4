import { availableParallelism, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** A file of the integration tests may run a tritonserver with several Python models, a Conch and a browser. */
const bytesPerWorker = 2 * 1024 ** 3;
const maxWorkers = Math.max(1, Math.min(availableParallelism(), Math.floor(totalmem() / bytesPerWorker)));

// oxlint-disable-next-line import/no-default-export -- vitest reads the default export
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,web}/**/*.test.ts', '{bench,scripts}/**/*.test.mjs'],
          globalSetup: ['test/support/unit-setup.ts'],
          // Loading the modules again for every file takes longer than the tests.
          isolate: false,
          alias: [
            {
              find: /^.*\/worker-file\.ts$/,
              replacement: fileURLToPath(new URL('test/support/unit-worker-file.ts', import.meta.url)),
            },
          ],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: ['test/bench/guard.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          setupFiles: ['test/support/await-triton.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'guard',
          include: ['test/bench/guard.test.ts'],
          // After all others, as it measures.
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'soak',
          include: ['test/**/*.soak.ts'],
          exclude: ['test/vllm/**'],
          globalSetup: ['test/support/global-setup.ts'],
          setupFiles: ['test/support/await-triton.ts'],
          testTimeout: 3_600_000,
          hookTimeout: 60_000,
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
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});

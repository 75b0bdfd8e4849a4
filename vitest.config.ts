import { defineConfig } from 'vitest/config';

// oxlint-disable-next-line import/no-default-export -- vitest reads the default export
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,web}/**/*.test.ts', '{bench,scripts}/**/*.test.mjs'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: ['test/bench/guard.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
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

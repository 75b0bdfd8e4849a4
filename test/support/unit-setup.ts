import { rmSync } from 'node:fs';
import { rolldown } from 'rolldown';
import type { TestProject } from 'vitest/node';
import { inRoot } from './environment.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder with the programs of threads and processes, each at its path from src on. */
    workers: string;
  }
}

/** What `workerFile` gives in the sources. */
const workers = [
  'prompt/worker',
  'generate/structured-worker',
  'responses/store/sqlite-worker',
  'bench/load/worker',
  // For threads whose program is in a test.
  'worker-program',
];

/** Compiles the programs that unit tests run in threads and processes: Node 20 runs no TypeScript there. */
export async function setup(project: TestProject): Promise<() => void> {
  const folder = inRoot(`node_modules/.conch-workers-${process.pid}`);
  const input = Object.fromEntries(workers.map((name) => [name, inRoot(`src/${name}.ts`)]));
  const bundle = await rolldown({ input, platform: 'node', external: /^[^./]/ });
  await bundle.write({ dir: folder, format: 'esm' });
  await bundle.close();
  project.provide('workers', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}

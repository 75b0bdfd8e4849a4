import type { TestProject } from 'vitest/node';
import { keepTriton } from './kept-triton.ts';
import type { TritonPorts } from './triton.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The ports of the tritonserver that all integration tests share; its models are those of test/models. */
    triton: TritonPorts;
  }
}

/** Starts the tritonserver that all integration tests share, and restarts it when it dies; what it gives back stops it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const reports: string[] = [];
  const report = (text: string): void => {
    reports.push(text);
    process.stderr.write(`\n${text}\n`);
  };
  const { grpcPort, httpPort, metricsPort, stop } = await keepTriton({ repository: 'test/models' }, report);
  project.provide('triton', { grpcPort, httpPort, metricsPort });
  return async () => {
    await stop();
    // Once more where it is not lost between thousands of lines.
    if (reports.length > 0) process.stderr.write(`\n${reports.join('\n')}\n`);
  };
}

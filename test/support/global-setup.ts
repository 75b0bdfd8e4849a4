import type { TestProject } from 'vitest/node';
import { startTriton, type TritonPorts } from './triton.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The ports of the tritonserver that all integration tests share; its models are those of test/models. */
    triton: TritonPorts;
  }
}

/** Starts the tritonserver that all integration tests share; what it gives back stops it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { grpcPort, httpPort, metricsPort, stop } = await startTriton({ repository: 'test/models' });
  project.provide('triton', { grpcPort, httpPort, metricsPort });
  return stop;
}

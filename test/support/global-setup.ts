import type { TestProject } from 'vitest/node';
import { keepTriton, type Outage } from './cached-triton.ts';
import { hostConch } from './shared-conch.ts';
import type { TritonPorts } from './triton.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The ports of the tritonserver that all integration tests share; its models are those of test/models. */
    triton: TritonPorts;
    /** When that tritonserver was gone. */
    outages: readonly Outage[];
    /** Where to ask for a Conch that several files share. */
    conchHost: string;
  }
}

/**
 * Starts what all integration tests share: a tritonserver, which is restarted when it dies, and a host of Conchs. What it
 * gives back stops them.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const reports: string[] = [];
  const report = (text: string): void => {
    reports.push(text);
    process.stderr.write(`\n${text}\n`);
  };
  const onOutages = (outages: readonly Outage[]): void => project.provide('outages', outages);
  const [triton, host] = await Promise.all([
    keepTriton({ repository: 'test/models' }, { report, onOutages }),
    hostConch(report),
  ]);
  const { grpcPort, httpPort, metricsPort } = triton;
  project.provide('triton', { grpcPort, httpPort, metricsPort });
  project.provide('conchHost', host.url);
  return async () => {
    await host.stop();
    await triton.stop();
    // Once more where it is not lost between thousands of lines.
    if (reports.length > 0) process.stderr.write(`\n${reports.join('\n')}\n`);
  };
}

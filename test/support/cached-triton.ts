import { startTriton, type Triton, type TritonOptions, type TritonPorts } from './triton.ts';

/** A tritonserver that comes back on the same ports whenever it dies. */
export interface StoredTriton extends TritonPorts {
  /** The id of the process that runs now. */
  readonly pid: () => number;
  readonly stop: () => Promise<void>;
}

/** From when to when it was gone, in milliseconds since 1970; the end is unknown until it is back. */
export interface Outage {
  readonly began: number;
  readonly ended: number;
}

/** What to tell about the ends that nobody asked for. */
export interface Watcher {
  readonly report: (text: string) => void;
  /** Called with all outages so far whenever one begins or ends. */
  readonly onOutages: (outages: readonly Outage[]) => void;
}

const lastLines = 12;
const unknownEnd = Number.MAX_SAFE_INTEGER;

/** Starts a tritonserver and keeps it running. Each end that nobody asked for is reported with its reason. */
export async function keepTriton(options: TritonOptions, { report, onOutages }: Watcher): Promise<StoredTriton> {
  let current = await startTriton(options);
  const { grpcPort, httpPort, metricsPort } = current;
  const ports = { grpcPort, httpPort, metricsPort };
  let isStopping = false;
  const past: Outage[] = [];
  const keep = async (): Promise<void> => {
    for (;;) {
      await current.closed;
      if (isStopping) return;
      const began = Date.now();
      onOutages([...past, { began, ended: unknownEnd }]);
      report(obituary(current));
      current = await startTriton({ ...options, ports });
      past.push({ began, ended: Date.now() });
      onOutages(past);
      report(`The shared tritonserver is ready again at ${time()}.`);
      if (isStopping) return current.stop();
    }
  };
  const stored = keep().catch((error: unknown) =>
    report(`The shared tritonserver cannot be started again: ${String(error)}`),
  );
  const stop = async (): Promise<void> => {
    isStopping = true;
    await current.stop();
    await stored;
  };
  return { ...ports, pid: () => current.pid, stop };
}

function obituary({ ended, log }: Triton): string {
  const lines = log().trimEnd().split('\n').slice(-lastLines);
  return [
    `The shared tritonserver ended by ${ended()} at ${time()} and is started again. Its last lines:`,
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
}

function time(): string {
  return new Date().toISOString();
}

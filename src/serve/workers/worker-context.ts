import cluster from 'node:cluster';
import type { Gates } from '../../limits/gates.ts';
import type { Rates } from '../../limits/rates.ts';
import type { Link } from '../../link.ts';
import type { TritonPorts } from '../../servers/managed/command-line.ts';
import { RemoteGates, RemoteRates } from './limits.ts';
import { WorkerLink } from './link.ts';
import { Messenger } from './messenger.ts';

/** Milliseconds that a tritonserver has to stop. */
const longestRestart = 60_000;

/** The ports that all workers share, as the primary chose them. */
export interface SharedPorts {
  readonly port: number;
  readonly kserveHttpPort: number;
  readonly kserveGrpcPort: number;
}

/** What the primary sends to a worker at its start. */
export interface Orders {
  readonly number: number;
  readonly ports: SharedPorts;
  /** The configuration file at the start of Conch; undefined without one. */
  readonly settingsText: string | undefined;
  /** The configuration file that a worker last applied; undefined if none has yet. */
  readonly latestText: string | undefined;
  /** The current ports of the primary's tritonserver. */
  readonly triton: TritonPorts | undefined;
  /** Whether the primary got the stop signal before this worker started. */
  readonly isStopping: boolean;
}

/** The role of this process as a worker, and its connection to the primary. */
export interface WorkerContext extends Pick<Orders, 'number' | 'ports' | 'settingsText' | 'latestText'> {
  /** Whether it does the work that only one worker does. */
  readonly isLeader: boolean;
  readonly link: Link;
  readonly gates: Gates;
  readonly rates: Rates;
  /** Aborted when the primary stops this worker. */
  readonly stop: AbortSignal;
  onHangUp(listener: () => void): void;
  /** Calls back with the ports of the primary's tritonserver, now and when they change. */
  followTriton(listener: (ports: TritonPorts | undefined) => void): void;
  /** Makes the primary restart its tritonserver; resolves when the old one has stopped. */
  restartTriton(): Promise<void>;
  /** Reports that this worker has applied this text of the configuration file. */
  reportSettings(text: string): void;
  /** Reports that this worker serves requests from now on. */
  ready(): void;
  /** Disconnects from the primary, so that this process can end. */
  disconnect(): void;
}

/** The context of this process; undefined when it is not a worker. */
export async function openWorkerContext(): Promise<WorkerContext | undefined> {
  const { worker } = cluster;
  if (!worker) return undefined;
  const primary = new Messenger((messages) => process.send?.(messages, undefined, undefined, () => undefined));
  process.on('message', (messages) => primary.receive(messages));
  // Terminals and service managers signal all processes at once. Workers wait for the primary's message instead.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const stop = new AbortController();
  const hangUps: (() => void)[] = [];
  const moves: ((ports: TritonPorts | undefined) => void)[] = [];
  primary.on('stop', () => stop.abort());
  primary.on('hang-up', () => hangUps.forEach((listener) => listener()));
  let triton: TritonPorts | undefined;
  let hasMoved = false;
  primary.on('triton', (ports) => {
    triton = ports as TritonPorts | undefined;
    hasMoved = true;
    for (const listener of moves) listener(triton);
  });
  const orders = (await primary.ask('orders')) as Orders;
  if (orders.isStopping) stop.abort();
  // Ports that arrived before the orders are newer than those in the orders.
  if (!hasMoved) triton = orders.triton;
  return {
    ...orders,
    isLeader: orders.number === 1,
    link: new WorkerLink(primary),
    gates: new RemoteGates(primary),
    rates: new RemoteRates(primary),
    stop: stop.signal,
    onHangUp: (listener) => hangUps.push(listener),
    followTriton: (listener) => {
      moves.push(listener);
      listener(triton);
    },
    restartTriton: async () => {
      await primary.ask('restart-triton', undefined, { timeout: longestRestart });
    },
    reportSettings: (text) => primary.notify('settings', text),
    ready: () => primary.notify('ready'),
    disconnect: () => worker.disconnect(),
  };
}

import cluster from 'node:cluster';
import type { Gates } from '../../limits/gates.ts';
import type { Rates } from '../../limits/rates.ts';
import type { Link } from '../../link.ts';
import type { TritonPorts } from '../../servers/managed/command-line.ts';
import { RemoteGates, RemoteRates } from './limits.ts';
import { WorkerLink } from './link.ts';
import { Messenger } from './messenger.ts';

/** Milliseconds that a tritonserver has to end. */
const longestRestart = 60_000;

/** The ports that all workers share, as the primary chose them. */
export interface SharedPorts {
  readonly port: number;
  readonly kserveHttpPort: number;
  readonly kserveGrpcPort: number;
}

/** What a worker is told when it begins. */
export interface Orders {
  readonly number: number;
  readonly ports: SharedPorts;
  /** The file with settings as it was when Conch was started; undefined where there is none. */
  readonly settingsText: string | undefined;
  /** The same as a worker last took it over; undefined where none has yet. */
  readonly latestText: string | undefined;
  /** Where the primary's tritonserver listens now. */
  readonly triton: TritonPorts | undefined;
  /** Whether the primary was told to stop before this worker had begun. */
  readonly isStopping: boolean;
}

/** What this process is as one of several workers, and how it reaches the primary. */
export interface WorkerContext extends Pick<Orders, 'number' | 'ports' | 'settingsText' | 'latestText'> {
  /** Whether it does what is done once for all workers. */
  readonly isLeader: boolean;
  readonly link: Link;
  readonly gates: Gates;
  readonly rates: Rates;
  /** Aborted when the primary wants this worker to stop. */
  readonly stop: AbortSignal;
  onHangUp(listener: () => void): void;
  /** Calls back with where the primary's tritonserver listens, now and whenever that changes. */
  followTriton(listener: (ports: TritonPorts | undefined) => void): void;
  /** Has the primary restart its tritonserver; resolves when the old one has ended. */
  restartTriton(): Promise<void>;
  /** This worker follows what the file with settings holds now. */
  tookOver(text: string): void;
  /** This worker takes requests from now on. */
  ready(): void;
  /** Lets go of the primary, without which this process does not end. */
  leave(): void;
}

/** The context of this process; undefined when it is not a worker. */
export async function openWorkerContext(): Promise<WorkerContext | undefined> {
  const { worker } = cluster;
  if (!worker) return undefined;
  const primary = new Messenger((messages) => process.send?.(messages, undefined, undefined, () => undefined));
  process.on('message', (messages) => primary.receive(messages));
  // A terminal and service managers signal all processes at once; the primary says what is to be done.
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
  // A move that came with the orders is newer than they are.
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
    tookOver: (text) => primary.tell('settings', text),
    ready: () => primary.tell('ready'),
    leave: () => worker.disconnect(),
  };
}

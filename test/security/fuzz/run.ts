import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Conch } from '../../support/conch.ts';
import { startGateway } from '../../support/gateway.ts';
import { nextCase } from './cases.ts';
import { exchange } from './exchange.ts';
import { grpcAttack } from './grpc.ts';
import { errorOf } from './judge.ts';
import { Random } from './random.ts';

/** What a run of attacks came to. */
export interface FuzzOutcome {
  readonly sent: number;
  /** The first attacks that went wrong, with what is wrong and how to have them again. */
  readonly errors: readonly string[];
  readonly isAlive: boolean;
  /** How many attacks were answered with each status; those of gRPC and closed connections have none. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly errorLines: readonly unknown[];
}

interface FuzzOptions {
  readonly seed: number;
  readonly cases: number;
  /** Attacks at the same time. */
  readonly lanes?: number;
}

const mostErrors = 20;

/** Starts a Conch, sends it attacks on all its ports, and looks at what is left of it. */
export async function fuzz({ seed, cases, lanes = 24 }: FuzzOptions): Promise<FuzzOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'conch-fuzz-'));
  const conch = await startGateway(
    '--enable-kserve-frontends',
    '--kserve-http-port=0',
    '--kserve-grpc-port=0',
    '--request-timeout=15s',
    `--store=sqlite:${join(folder, 'responses.sqlite')}`,
    '--structured-retries=1',
  );
  try {
    const ports = await portsOf(conch);
    const errors: string[] = [];
    const statuses: Record<string, number> = {};
    const count = (status: string): void => {
      statuses[status] = (statuses[status] ?? 0) + 1;
    };
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < cases && errors.length < mostErrors) {
        const at = next++;
        const error = await attack(new Random(seed + at * 7919), ports, count);
        if (error !== undefined) errors.push(`case ${at} of seed ${seed}: ${error}`);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    const alive = await fetch(`${conch.url}/health/live`);
    const errorLines = conch.log().filter(({ code, message }) => code === 'internal_error' || isUnexpected(message));
    return { sent: next, errors, isAlive: alive.ok, statuses, errorLines };
  } finally {
    await conch.stop();
    rmSync(folder, { recursive: true });
  }
}

interface Ports {
  readonly openai: number;
  readonly kserve: number;
  readonly grpc: number;
}

/** One in thirty goes to the gRPC frontend. */
const grpcShare = 1 / 30;

async function attack(random: Random, ports: Ports, count: (status: string) => void): Promise<string | undefined> {
  if (random.chance(grpcShare)) return grpcAttack(random, ports.grpc);
  const made = nextCase(random);
  const result = await exchange(ports[made.port], made.bytes, { halfCloses: made.halfCloses ?? false });
  const [, status = 'none'] = /^HTTP\/1\.1 (\d{3})/.exec(result.bytes.subarray(0, 12).toString('latin1')) ?? [];
  count(status);
  const error = errorOf(made, result);
  const sent = made.bytes.subarray(0, 1500).toString('latin1');
  return error === undefined ? undefined : `${made.kind}: ${error}\n${sent}`;
}

function isUnexpected(message: unknown): boolean {
  return /unexpected condition|unhandled|uncaught/i.test(String(message));
}

async function portsOf(conch: Conch): Promise<Ports> {
  const locate = async (prefix: string): Promise<number> => {
    const line = await conch.logged(({ message }) => String(message).startsWith(prefix));
    return Number(/:(\d+)$/.exec(String(line['message']))?.[1]);
  };
  return {
    openai: Number(new URL(conch.url).port),
    kserve: await locate('KServe listens on http://'),
    grpc: await locate('KServe listens on grpc://'),
  };
}

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamedChoices } from '../gateway/requests.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { post } from '../support/gateway.ts';
import { commandLine, descendants } from '../support/processes.ts';
import { startTrtllm, type Trtllm } from '../support/trtllm.ts';
import { chainModels } from '../support/trtllm-repository.ts';

const patience = 180_000;
const streams = 8;
const tokens = 150;
const rounds = 3;
const firstTokens = 15;

let triton: Trtllm;
const conchs: Record<'trtllm-tokens' | 'trtllm', Conch | undefined> = { 'trtllm-tokens': undefined, trtllm: undefined };

beforeAll(async () => {
  triton = await startTrtllm({ models: chainModels });
  for (const contract of ['trtllm-tokens', 'trtllm'] as const)
    conchs[contract] = await startConch({
      flags: ['--triton', `127.0.0.1:${triton.grpcPort}`, '--contract', `ensemble=${contract}`],
    });
}, patience);
afterAll(async () => {
  await Promise.all(Object.values(conchs).map(async (conch) => conch?.stop()));
  await triton.stop();
});

const ticksPerSecond = 100;

/** The CPU time of a process so far, in microseconds. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1e6;
}

/** The processes of a chain; the imitated engine apart, whose cost is not that of a real one. */
function chainOf(conch: Conch): { readonly engine: number[]; readonly others: number[] } {
  const started = descendants(triton.pid);
  const engine = started.filter((pid) => commandLine(pid).some((word) => word.includes('/tensorrt_llm/')));
  return { engine, others: [conch.pid, triton.pid, ...started.filter((pid) => !engine.includes(pid))] };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

interface Cost {
  /** Microseconds of CPU per token, of all processes but the engine's, and of that. */
  readonly chain: number;
  readonly engine: number;
  /** Milliseconds to the first token. */
  readonly first: number;
}

/** One round of streams through a chain. */
async function round(conch: Conch): Promise<Cost> {
  const body = { model: 'ensemble', prompt: directive({ tokens }), stream: true, max_tokens: tokens };
  const { engine, others } = chainOf(conch);
  const cpu = () => ({ engine: sum(engine.map(cpuOf)), others: sum(others.map(cpuOf)) });
  const before = cpu();
  const responses = await Promise.all(Array.from({ length: streams }, () => post(`${conch.url}/v1/completions`, body)));
  const after = cpu();
  for (const response of responses) expect(streamedChoices(response)[0]?.reasons).toEqual(['length']);
  const firsts: number[] = [];
  for (let at = 0; at < firstTokens; at++) firsts.push(await firstToken(conch));
  return {
    chain: (after.others - before.others) / (streams * tokens),
    engine: (after.engine - before.engine) / (streams * tokens),
    first: median(firsts),
  };
}

async function firstToken(conch: Conch): Promise<number> {
  const begin = performance.now();
  const response = await fetch(`${conch.url}/v1/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'ensemble', prompt: directive({ tokens: 2 }), stream: true }),
  });
  const reader = response.body?.getReader();
  await reader?.read();
  const time = performance.now() - begin;
  while (!(await reader?.read())?.done);
  return time;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

describe('going straight to the engine', () => {
  it(
    'costs the whole chain less than half of the CPU that the ensemble does',
    async () => {
      const costs = { 'trtllm-tokens': [] as Cost[], trtllm: [] as Cost[] };
      for (let at = 0; at <= rounds; at++)
        for (const contract of ['trtllm-tokens', 'trtllm'] as const) {
          const cost = await round(conchs[contract] as Conch);
          // The first round loads tokenizers and warms the code up.
          if (at > 0) costs[contract].push(cost);
        }
      const of = (contract: 'trtllm-tokens' | 'trtllm', part: keyof Cost): number =>
        median(costs[contract].map((cost) => cost[part]));
      for (const contract of ['trtllm-tokens', 'trtllm'] as const)
        console.info(
          `${contract}: ${of(contract, 'chain').toFixed(0)} µs of CPU per token, and ${of(contract, 'engine').toFixed(0)} ` +
            `of the imitated engine; first token after ${of(contract, 'first').toFixed(1)} ms`,
        );
      expect(of('trtllm-tokens', 'chain')).toBeLessThan(of('trtllm', 'chain') / 2);
    },
    patience,
  );
});

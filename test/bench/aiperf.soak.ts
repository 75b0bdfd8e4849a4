import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePrompts } from '../../src/bench/prompts.ts';
import type { Report, RequestMetric } from '../../src/bench/report/report.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { type AiperfReport, aiperf } from './aiperf.ts';
import { runBench, startTokenGateway, type TokenGateway } from './bench-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-aiperf-'));
const prompts = join(folder, 'prompts.jsonl');
const requests = 48;
const statistics = ['avg', 'min', 'max', 'p99', 'p90', 'p75', 'p50'] as const;
let gateway: TokenGateway;

beforeAll(async () => {
  gateway = await startTokenGateway(10);
  const lengths = { mean: 80, deviation: 20 };
  const made = await makePrompts({ count: 12, input: lengths, output: lengths, seed: 3, counter: undefined });
  writeFileSync(prompts, made.map(({ text }) => `${JSON.stringify({ text })}\n`).join(''));
});

afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

/** The same load by both: the prompts of a file, 64 tokens each, 10 ms between them. */
async function both(concurrency: number, counting: 'tokenizer' | 'server') {
  const count = { requests: String(requests), concurrency: String(concurrency) };
  const isServer = counting === 'server';
  const theirs = await aiperf(
    mkdtempSync(join(folder, 'run-')),
    written({
      model: 'bench',
      url: gateway.conch.url,
      'endpoint-type': 'chat',
      streaming: true,
      tokenizer: tokenizerFolder('llama3'),
      'input-file': prompts,
      'custom-dataset-type': 'single_turn',
      'extra-inputs': 'max_tokens:64',
      concurrency: count.concurrency,
      'request-count': count.requests,
      'warmup-request-count': '4',
      'use-server-token-count': isServer,
    }),
  );
  const { report } = await runBench(
    gateway.conch.url,
    written({
      ...count,
      'prompt-file': prompts,
      'output-tokens': '64',
      warmup: '4',
      tokenizer: tokenizerFolder('llama3'),
      'server-token-count': isServer,
    }),
  );
  const [level] = (report as Report).levels;
  if (level === undefined) throw new Error('conch bench measured nothing');
  console.log(sideBySide(theirs, level));
  return { theirs, level };
}

/** Flags as a command line has them. */
function written(flags: Readonly<Record<string, string | boolean>>): string[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    if (typeof value === 'string') return [`--${name}`, value];
    return value ? [`--${name}`] : [];
  });
}

type Level = Report['levels'][number];

const compared: readonly RequestMetric[] = [
  'time_to_first_token',
  'inter_token_latency',
  'request_latency',
  'output_sequence_length',
  'input_sequence_length',
];

function sideBySide(theirs: AiperfReport, level: Level): string {
  return compared
    .flatMap((name) =>
      (['avg', 'p50', 'p99'] as const).map(
        (kind) =>
          `${name} ${kind}: aiperf ${theirs[name]?.[kind]?.toFixed(2)}, conch bench ${level.metrics[name]?.[kind].toFixed(2)}`,
      ),
    )
    .join('\n');
}

function display(metric: Partial<Record<(typeof statistics)[number], number>> | undefined) {
  return statistics.map((kind) => metric?.[kind]?.toFixed(6));
}

describe("NVIDIA's aiperf against Conch", () => {
  it.each([
    { concurrency: 1, counting: 'tokenizer' },
    { concurrency: 8, counting: 'server' },
  ] as const)(
    'agrees with conch bench at $concurrency, counted by the $counting',
    async ({ concurrency, counting }) => {
      const { theirs, level } = await both(concurrency, counting);
      expect(theirs['request_count']?.avg).toBe(requests);
      expect(level).toMatchObject({ request_count: requests, failed_count: 0 });
      for (const name of ['output_sequence_length', 'input_sequence_length'] as const)
        expect([name, ...display(level.metrics[name])]).toEqual([name, ...display(theirs[name])]);
      // Both see the same 10 ms between tokens, however busy the machine is: the shortest answers are not delayed.
      for (const name of ['inter_token_latency', 'request_latency'] as const) {
        const ratio = (level.metrics[name]?.min ?? 0) / (theirs[name]?.min ?? 0);
        expect(ratio).toBeGreaterThan(0.8);
        expect(ratio).toBeLessThan(1.25);
      }
      for (const name of ['output_token_throughput', 'request_throughput'] as const) {
        const ratio = (level.throughput[name] ?? 0) / (theirs[name]?.avg ?? 0);
        expect(ratio).toBeGreaterThan(0.7);
        expect(ratio).toBeLessThan(1.4);
      }
    },
  );
});

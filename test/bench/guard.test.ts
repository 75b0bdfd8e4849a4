import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { inRoot } from '../support/environment.ts';

const patience = 300_000;
const leastStated = 1.2;
const ratios = ['paced256_vs_grpcjs', 'full256_vs_grpcjs'] as const;

type Ratios = Readonly<Record<(typeof ratios)[number], number>>;

/** What docs/benchmarks.md says, where a run of the benchmark has left it for programs. */
function stated(): Ratios {
  const [, figures = '{}'] = /<!-- headline: (.*) -->/.exec(readFileSync(inRoot('docs/benchmarks.md'), 'utf8')) ?? [];
  return JSON.parse(figures) as Ratios;
}

/** A figure that is no number is as far from its limit as one can be. */
const isBelow = (figure: unknown, limit: number) => !(Number.isFinite(figure) && Number(figure) >= limit);

it(
  'a token costs at most twice of what the page of benchmarks says, measured by the grpc-js gateway',
  async () => {
    const page = stated();
    expect(ratios.filter((ratio) => isBelow(page[ratio], leastStated))).toEqual([]);
    const flags = ['--quick', '--only', 'full', '--only', 'paced', '--windows', '3', '--warmup-seconds', '5'];
    const { stdout } = await promisify(execFile)(process.execPath, [inRoot('bench/run.mjs'), ...flags]);
    const measured = JSON.parse(stdout) as Ratios;
    const fallen = ratios.filter((ratio) => isBelow(measured[ratio], page[ratio] / 2));
    expect(fallen.map((ratio) => `${ratio} is ${measured[ratio]}, the page says ${page[ratio]}`)).toEqual([]);
  },
  patience,
);

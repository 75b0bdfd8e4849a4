import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { inRoot } from '../support/environment.ts';

const patience = 300_000;
const ratios = ['paced256_vs_grpcjs', 'full256_vs_grpcjs'] as const;

type Ratios = Readonly<Record<(typeof ratios)[number], number>>;

/** What docs/benchmarks.md says, where a run of the benchmark has left it for programs. */
function stated(): Ratios {
  const [, figures = ''] = /<!-- headline: (.*) -->/.exec(readFileSync(inRoot('docs/benchmarks.md'), 'utf8')) ?? [];
  return JSON.parse(figures) as Ratios;
}

it(
  'a token costs at most twice of what the page of benchmarks says, measured by the grpc-js gateway',
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [inRoot('bench/guard.mjs'), '--pairs', '5']);
    const measured = JSON.parse(stdout) as Ratios;
    const page = stated();
    const fallen = ratios.filter((ratio) => measured[ratio] < page[ratio] / 2);
    expect(fallen.map((ratio) => `${ratio} is ${measured[ratio]}, the page says ${page[ratio]}`)).toEqual([]);
  },
  patience,
);

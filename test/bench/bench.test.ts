import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LevelReport } from '../../src/bench/report/report.ts';
import { runConch } from '../support/command.ts';
import type { Conch } from '../support/conch.ts';
import { inRoot, tokenizerFolder } from '../support/environment.ts';
import { startGateway } from '../support/gateway.ts';
import { runBench, startTokenGateway, type TokenGateway } from './bench-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-bench-'));
const few = ['--requests', '12', '--warmup', '2', '--input-tokens', '40,5', '--output-tokens', '8'];
let gateway: TokenGateway;

beforeAll(async () => {
  gateway = await startTokenGateway(1);
});

afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

/** What of a level does not depend on the clock. */
function counts({ request_count, failed_count, errors, metrics }: LevelReport) {
  const { output_sequence_length: output } = metrics;
  return { request_count, failed_count, errors, output: output && [output.min, output.max] };
}

const allWell = { request_count: 12, failed_count: 0, errors: {}, output: [8, 8] };

describe('conch bench', () => {
  it('measures streams at every concurrency, and writes each form of the report', async () => {
    const [csv, html] = [join(folder, 'a.csv'), join(folder, 'a.html')];
    const flags = [...few, '--concurrency', '1,4', '--server-token-count', '--csv', csv, '--html', html];
    const { code, stdout, report } = await runBench(gateway.conch.url, flags);
    expect(code).toBe(0);
    expect(report?.levels.map(counts)).toEqual([allWell, allWell]);
    expect(report?.load).toMatchObject({
      model: 'bench',
      endpoint: 'chat',
      streaming: true,
      requests: 12,
      prompts: 12,
    });
    expect(report?.levels.map(({ metrics }) => Object.keys(metrics))).toEqual(
      [1, 4].map(() => [
        'time_to_first_token',
        'inter_token_latency',
        'request_latency',
        'output_sequence_length',
        'input_sequence_length',
      ]),
    );
    expect(stdout).toContain('\n1 concurrent request: 12 responses in ');
    expect(stdout).toContain('\n4 concurrent requests: 12 responses in ');
    expect(stdout).toContain("Output tokens counted by the server's usage\n");
    expect(readFileSync(csv, 'utf8').match(/^4,,request_count,requests,12,/m)).not.toBeNull();
    expect(readFileSync(html, 'utf8')).toContain('>Latency by load<');
  });

  it('keeps its figures consistent with one another', async () => {
    const { report } = await runBench(gateway.conch.url, [...few, '--server-token-count', '--concurrency', '1']);
    const [level] = report?.levels ?? [];
    const { time_to_first_token: first, inter_token_latency: between, request_latency: whole } = level?.metrics ?? {};
    // All answers have eight tokens, so what holds for one holds for the averages.
    expect(whole?.avg).toBeCloseTo((first?.avg ?? 0) + 7 * (between?.avg ?? 0), 6);
    // One after the other: the time is that of all of them, and of what lies between.
    const alone = 12 * (whole?.avg ?? 0);
    expect((level?.duration_s ?? 0) * 1000).toBeGreaterThanOrEqual(alone);
    expect(level?.throughput.output_token_throughput).toBeLessThanOrEqual((12 * 8 * 1000) / alone);
    expect(level?.throughput.output_token_throughput).toBeCloseTo(8 * (level?.throughput.request_throughput ?? 0), 6);
  });

  it("counts with the model's tokenizer, or lets the server count, alike", async () => {
    const own = await runBench(gateway.conch.url, [...few, '--tokenizer', tokenizerFolder('llama3')]);
    const theirs = await runBench(gateway.conch.url, few);
    const lengths = [own, theirs].map(({ report }) => {
      const { input_sequence_length: input, output_sequence_length: output } = report?.levels[0]?.metrics ?? {};
      return { input, output };
    });
    expect(lengths[0]).toEqual(lengths[1]);
    expect(lengths[0]?.input?.avg).toBeGreaterThan(30);
    expect(own.stdout).toContain(`Input tokens counted by the tokenizer ${tokenizerFolder('llama3')}\n`);
    expect(theirs.stdout).toContain("Input tokens counted by the server's own tokenizer (/tokenize)\n");
  });

  it('makes a rate, in several processes', async () => {
    const flags = [...few, '--server-token-count', '--rate', '200', '--workers', '2'];
    const { code, report } = await runBench(gateway.conch.url, flags);
    expect([code, report?.levels.map(counts)]).toEqual([0, [allWell]]);
    expect(report?.levels[0]?.pace).toEqual({ kind: 'rate', perSecond: 200, arrival: 'poisson', seed: 1 });
    expect(report?.levels[0]?.generator.processes).toBe(2);
  });

  it('goes on for a time', async () => {
    const { code, report } = await runBench(gateway.conch.url, ['--duration', '300ms', '--output-tokens', '4']);
    expect(code).toBe(0);
    expect(report?.levels[0]?.request_count).toBeGreaterThan(0);
    expect(report?.load.duration_s).toBe(0.3);
  });

  it('sends prompts of a file and fields of its own', async () => {
    const prompts = join(folder, 'prompts.jsonl');
    writeFileSync(prompts, '{"text": "one two three"}\nfour five\n');
    const flags = ['--prompt-file', prompts, '--requests', '4', '--extra', 'temperature=0.5', '--ignore-eos'];
    const { code, report } = await runBench(gateway.conch.url, [...flags, '--output-tokens', '3']);
    expect(code).toBe(0);
    expect(report?.levels[0]?.metrics.input_sequence_length).toMatchObject({ min: 2, max: 3, avg: 2.5 });
    expect(report?.load.extra).toEqual({ ignore_eos: true, min_tokens: 'output tokens', temperature: 0.5 });
  });

  it('measures what a process costs', async () => {
    const flags = [...few, '--server-token-count', '--pid', `conch=${gateway.conch.pid}`];
    const { report, stdout } = await runBench(gateway.conch.url, flags);
    const [cost] = report?.levels[0]?.processes ?? [];
    expect(cost).toMatchObject({ name: 'conch', pid: gateway.conch.pid });
    expect(cost?.cpu_us_per_request).toBeGreaterThan(0);
    expect(cost?.cpu_us_per_token).toBeCloseTo((cost?.cpu_us_per_request ?? 0) / 8, 6);
    expect(cost?.rss_mb).toBeGreaterThan(30);
    expect(stdout).toContain(`conch (${gateway.conch.pid})`);
  });

  it('ends early when it is interrupted, with what it has', async () => {
    const program = [inRoot('dist/main.js'), 'bench', '--url', gateway.conch.url, '--duration', '10m', '--warmup', '1'];
    const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    // Behind the prompts and the warm-up.
    for await (const [text] of on(child.stderr.setEncoding('utf8'), 'data'))
      if ((text as string).includes('  1 concurrent request …\n')) break;
    child.kill('SIGINT');
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(130);
    expect(stdout).toContain('1 concurrent request: ');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('Interrupted: these are the results up to then.');
  });

  it('compares two reports', async () => {
    const [a, b] = [join(folder, 'a.json'), join(folder, 'b.json')];
    for (const file of [a, b]) await runBench(gateway.conch.url, [...few, '--server-token-count', '--json', file]);
    const { code, stdout } = await runConch(['bench', '--compare', a, b]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Output sequence length avg \(tokens\) +8\.00 +8\.00 +0\.0 %$/m);
    expect(stdout).not.toContain('These settings differ');
  });
});

describe('conch bench with tritonserver', () => {
  let conch: Conch;
  const prompts = join(folder, 'directives.txt');
  const short = ['--output-tokens', '8'];

  beforeAll(async () => {
    conch = await startGateway();
    writeFileSync(prompts, 'Count. <<{"tokens": 20}>>\n');
  });
  afterAll(() => conch.stop());

  const measure = (...flags: readonly string[]) =>
    runBench(conch.url, ['--requests', '12', '--warmup', '2', '--concurrency', '2', '--server-token-count', ...flags]);

  it.each([
    { streaming: true, flags: ['--endpoint', 'chat'] },
    { streaming: true, flags: ['--endpoint', 'completions'] },
    { streaming: false, flags: ['--endpoint', 'chat', '--no-streaming'] },
    { streaming: false, flags: ['--endpoint', 'completions', '--no-streaming'] },
  ])('measures what $flags asks for', async ({ streaming, flags }) => {
    const { code, report } = await measure('--model', 'vllm-toy', '--prompt-file', prompts, ...short, ...flags);
    expect([code, report?.levels.map(counts)]).toEqual([0, [allWell]]);
    const ofStreams = streaming ? ['time_to_first_token', 'inter_token_latency'] : [];
    expect(Object.keys(report?.levels[0]?.metrics ?? {})).toEqual([
      ...ofStreams,
      'request_latency',
      'output_sequence_length',
      'input_sequence_length',
    ]);
  });

  it('counts answers that break off', async () => {
    const breaking = join(folder, 'breaking.txt');
    writeFileSync(breaking, 'Fine. <<{"tokens": 8}>>\nBad. <<{"tokens": 8, "error_at": 4, "error_text": "broke"}>>\n');
    const { code, report } = await measure('--model', 'vllm-toy', '--prompt-file', breaking, ...short);
    expect(code).toBe(1);
    expect(report?.levels[0]).toMatchObject({ request_count: 6, failed_count: 6 });
    expect(Object.entries(report?.levels[0]?.errors ?? {})).toEqual([
      [expect.stringMatching(/^error in the response: .*broke/), 6],
    ]);
  });

  it('measures embeddings', async () => {
    const { code, report } = await measure('--endpoint', 'embeddings', '--model', 'vllm-embed', '--input-tokens', '20');
    expect([code, report?.levels.map(counts)]).toEqual([0, [{ ...allWell, output: undefined }]]);
    expect(Object.keys(report?.levels[0]?.metrics ?? {})).toEqual(['request_latency', 'input_sequence_length']);
  });
});

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Conch, startConch } from '../support/conch.ts';
import { inRoot } from '../support/environment.ts';
import { type Answer, gatewayFlags, post } from '../support/gateway.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-long-'));
const file = join(folder, 'delay');
let conch: Conch;
beforeAll(async () => {
  const monitor = pathToFileURL(inRoot('test/support/event-loop-monitor.mjs')).href;
  conch = await startConch({
    flags: gatewayFlags(),
    environment: { NODE_OPTIONS: `--import=${monitor}`, CONCH_TEST_LOOP_FILE: file },
  });
});
afterAll(async () => {
  await conch.stop();
  rmSync(folder, { recursive: true });
});

/** The longest time in milliseconds that the event loop was held since it was asked last. */
async function longestDelay(): Promise<number> {
  rmSync(file, { force: true });
  process.kill(conch.pid, 'SIGUSR2');
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 2));
  return Number(readFileSync(file, 'utf8'));
}

async function measured(path: string, body: object): Promise<{ answer: Answer; delay: number }> {
  await longestDelay();
  const answer = await post(`${conch.url}${path}`, body);
  return { answer, delay: await longestDelay() };
}

/** What reading and writing a million numbers of JSON may take; tokenizing or decoding them takes several times as long. */
const most = 250;

it('a million tokens go in and out without holding the event loop', async () => {
  const words = 'The quick brown fox jumps over the lazy dog. ';
  const text = words.repeat(99_000);
  await post(`${conch.url}/tokenize`, { model: 'vllm-toy', prompt: words });
  const there = await measured('/tokenize', { model: 'vllm-toy', prompt: text, return_token_strs: true });
  const { count, tokens, token_strs: spellings } = there.answer.body as Record<string, unknown[]>;
  expect([there.answer.status, count, tokens?.length, spellings?.length]).toEqual([200, 990_001, 990_001, 990_001]);
  const back = await measured('/detokenize', { model: 'vllm-toy', tokens });
  expect([back.answer.status, back.answer.body['prompt'] === text]).toEqual([200, true]);
  expect({ there: there.delay < most ? 'short' : there.delay, back: back.delay < most ? 'short' : back.delay }).toEqual(
    {
      there: 'short',
      back: 'short',
    },
  );
}, 60_000);

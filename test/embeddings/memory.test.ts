import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Conch, startConch } from '../support/conch.ts';
import { startTriton, type Triton } from '../support/triton.ts';

let triton: Triton;
let conch: Conch;
beforeAll(async () => {
  triton = await startTriton({
    repository: 'test/embeddings/models',
    modelControl: 'explicit',
    loadModels: ['steered'],
  });
  conch = await startConch({
    flags: ['--triton', `127.0.0.1:${triton.grpcPort}`],
    // Garbage is collected soon, so that what is seen is what is kept.
    environment: { NODE_OPTIONS: '--max-old-space-size=64 --max-semi-space-size=2' },
  });
}, 120_000);
afterAll(async () => {
  await conch.stop();
  await triton.stop();
});

/** The bytes of the answer to a request for the vectors of a thousand texts, 4,096 figures each. */
async function bytesOfThousand(): Promise<number> {
  const response = await fetch(`${conch.url}/v1/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'steered', input: Array.from({ length: 1000 }, () => 'wide') }),
  });
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += chunk.length;
  return bytes;
}

/** In MiB: VmRSS now, VmHWM at its most. */
function memoryOf(kind: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${conch.pid}/status`, 'utf8');
  return Number(new RegExp(`${kind}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

it('writes the vectors of a thousand texts without holding them as a text, over and over', {
  timeout: 180_000,
}, async () => {
  const before = memoryOf('VmRSS');
  const bytes = await bytesOfThousand();
  expect(bytes / 2 ** 20).toBeGreaterThan(64);
  await bytesOfThousand();
  const once = memoryOf('VmHWM');
  // The vectors themselves have 16 MiB.
  expect(once - before).toBeLessThan(64);
  for (let round = 0; round < 4; round++) await bytesOfThousand();
  expect(memoryOf('VmHWM') - once).toBeLessThan(32);
});

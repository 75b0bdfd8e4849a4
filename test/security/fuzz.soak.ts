import { expect, it } from 'vitest';
import { fuzz } from './fuzz/run.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const cases = 100_000;

it('answers 100,000 attacks on every endpoint without a 500, a crash or a hang', async () => {
  console.log(`FUZZ_SEED=${seed}`);
  const { statuses, ...outcome } = await fuzz({ seed, cases });
  console.log(JSON.stringify(statuses));
  expect(outcome).toEqual({ sent: cases, errors: [], isAlive: true, errorLines: [] });
  // Not all are turned away at the door.
  expect(statuses['200']).toBeGreaterThan(cases / 10);
});

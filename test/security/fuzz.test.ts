import { expect, it } from 'vitest';
import { fuzz } from './fuzz/run.ts';

const seed = 20_261_115;
const cases = 3_000;

it('answers 3,000 attacks on every endpoint without a 500, a crash or a hang', { timeout: 600_000 }, async () => {
  const { statuses, ...outcome } = await fuzz({ seed, cases });
  expect(outcome).toEqual({ sent: cases, errors: [], isAlive: true, errorLines: [] });
  // Not all are turned away at the door.
  expect(statuses['200']).toBeGreaterThan(cases / 10);
});

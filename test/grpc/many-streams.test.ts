import { expect, it } from 'vitest';
import { manyStreams } from './many-streams.ts';

it('4,000 streams over connections that come and go bring each its whole answer or one fault, and leave nothing behind', async () => {
  const { wrong, state, stored, connects, counted } = await manyStreams({ streams: 4_000, disturbances: 4 });
  expect({ wrong, stored, open: state.open, connections: state.connections, connects }).toEqual({
    wrong: [],
    stored: 0,
    open: 0,
    connections: 1,
    connects: 5,
  });
  expect(
    Math.min(counted.ok, counted.left, counted.aborted, counted.error, counted.status, counted.reset),
  ).toBeGreaterThan(0);
  expect(counted.broken).toBeLessThanOrEqual(2 * 200);
}, 120_000);

import { expect, it } from 'vitest';
import { manyStreams } from './many-streams.ts';

const connectionWindow = 256 * 2 ** 20;

it('200,000 streams, a share of them cut short, while connections come and go', async () => {
  const { wrong, state, stored, ...figures } = await manyStreams({ streams: 200_000, disturbances: 12 });
  console.log(JSON.stringify({ scenario: 'http2-streams', ...figures, state }));
  expect({ wrong, stored, open: state.open, connections: state.connections }).toEqual({
    wrong: [],
    stored: 0,
    open: 0,
    connections: 1,
  });
  // A reset hits at most the streams that run at a time, and each of the disturbances cost one connection.
  expect(figures.counted.broken).toBeLessThanOrEqual(6 * 200);
  expect(figures.connects).toBe(13);
  // All that was received has been given back but what is due with the next half of the window.
  expect(state.window).toBeGreaterThan(connectionWindow / 2);
  expect(state.window).toBeLessThanOrEqual(connectionWindow);
  expect(figures.memory.slope * 0.8).toBeLessThan(figures.memory.mean * 0.1);
});

import { expect, it } from 'vitest';
import { leavingClients } from './disconnects.ts';

it('20 streams with clients that leave at random: none is lost, and no call stays open', async () => {
  const { asked: requested, left, cancelled } = await leavingClients({ streams: 20, seconds: 3, tokens: 4 });
  expect(requested).toBeGreaterThanOrEqual(20);
  expect(cancelled).toBeLessThanOrEqual(left);
}, 120_000);

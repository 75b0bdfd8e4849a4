import { expect, it } from 'vitest';
import { leavingClients } from './disconnects.ts';

it('2,000 streams for five minutes with clients that leave at random', async () => {
  const figures = await leavingClients({ streams: 2000, seconds: 300, tokens: 60 });
  console.log(JSON.stringify({ scenario: 'leaving-clients', ...figures }));
  expect(figures.mostOpen).toBe(2000);
  // What it grows by in that time is less than what it varies by anyway.
  expect(figures.memory.growth).toBeLessThan(figures.memory.mean * 0.1);
});

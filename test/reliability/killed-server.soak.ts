import { expect, it } from 'vitest';
import { killedServer } from './killed-server.ts';

it('200 streams, one of two servers killed, ten times over', async () => {
  const figures = await killedServer({ streams: 200, kills: 10 });
  console.log(JSON.stringify({ scenario: 'killed-server', ...figures }));
  expect(figures.afterWhole).toBe(figures.after);
});

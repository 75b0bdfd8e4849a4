import { expect, it } from 'vitest';
import { killedServer } from './killed-server.ts';

it('four streams, one of two servers killed: each is whole or ends with an error, later ones succeed', async () => {
  const figures = await killedServer({ streams: 4, kills: 1 });
  expect(figures.afterWhole).toBe(figures.after);
}, 120_000);

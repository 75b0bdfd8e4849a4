import { expect, it } from 'vitest';
import { slowReaders } from './slow-readers.ts';

it('100 readers of a fast model that read nothing', async () => {
  const figures = await slowReaders(100, '20s');
  console.log(JSON.stringify({ scenario: 'slow-readers', ...figures }));
  // The window to the model and what waits before it, of each.
  expect(figures.slowPeak).toBeLessThan(figures.fastPeak + 100 * 2);
});

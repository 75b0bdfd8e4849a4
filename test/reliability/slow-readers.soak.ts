import { expect, it } from 'vitest';
import { slowReaders } from './slow-readers.ts';

const megabytesPerReader = 4;

it('100 readers of a fast model that read nothing', async () => {
  const figures = await slowReaders(100, '20s');
  console.log(JSON.stringify({ scenario: 'slow-readers', ...figures }));
  // Of each: the window to the model, and what is read of it and waits. Unbounded it would be 200 MB.
  expect(figures.slowPeak - figures.fastPeak).toBeLessThan(100 * megabytesPerReader);
});

import { expect, it, vi } from 'vitest';
import { flushAfterTurn } from './turn-output.ts';

const nextTurn = () => new Promise(setImmediate);

it('flushes all outputs of a turn at its end, in their order', async () => {
  const flushed: string[] = [];
  for (const name of ['a', 'b']) flushAfterTurn({ flush: () => flushed.push(name) });
  await Promise.resolve();
  expect(flushed).toEqual([]);
  await nextTurn();
  expect(flushed).toEqual(['a', 'b']);
});

it('leaves an output that comes while others are flushed to the next turn', async () => {
  const flushed: string[] = [];
  const late = { flush: () => flushed.push('late') };
  flushAfterTurn({ flush: () => flushAfterTurn(late) });
  await nextTurn();
  expect(flushed).toEqual([]);
  await nextTurn();
  expect(flushed).toEqual(['late']);
});

it('flushes the other outputs of a turn where one throws', () => {
  vi.useFakeTimers({ toFake: ['setImmediate'] });
  const flushed: string[] = [];
  const broken = () => {
    throw new Error('broken');
  };
  for (const flush of [() => flushed.push('a'), broken, () => flushed.push('b')]) flushAfterTurn({ flush });
  expect(() => vi.runAllTimers()).toThrow('broken');
  vi.runAllTimers();
  vi.useRealTimers();
  expect(flushed).toEqual(['a', 'b']);
});

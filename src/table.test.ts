import { expect, it } from 'vitest';
import { table } from './table.ts';

it('begins columns at the left, and ends those of figures at the right', () => {
  const rows = [['long', '1']];
  expect(table(['a', 'bb'], rows)).toBe('a     bb\nlong  1');
  expect(table(['a', 'bb'], rows, { holdsFigures: true })).toBe('a     bb\nlong   1');
});

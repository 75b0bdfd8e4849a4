import { expect, it } from 'vitest';
import { importsOf } from './imports.mjs';

it('finds every form of import of a TypeScript file, and no others', () => {
  const source = `import { readFile } from 'node:fs';
import type { A } from './a.ts';
import b, { type B } from '../b.ts';
export { c } from './deep/c.ts';
export * from './d.ts';
const e = await import('./e.ts');
type F = import('./f.ts').F;
new Worker(new URL('./g.ts', import.meta.url));
const text = "import './none.ts'"; // import './none.ts'
new URL('./data.json', import.meta.url);
`;
  expect(importsOf('room/x.ts', source).map(({ file, line, target }) => [file, line, target])).toEqual([
    ['room/x.ts', 2, 'room/a.ts'],
    ['room/x.ts', 3, 'b.ts'],
    ['room/x.ts', 4, 'room/deep/c.ts'],
    ['room/x.ts', 5, 'room/d.ts'],
    ['room/x.ts', 6, 'room/e.ts'],
    ['room/x.ts', 7, 'room/f.ts'],
    ['room/x.ts', 8, 'room/g.ts'],
  ]);
});

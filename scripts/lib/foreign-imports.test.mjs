import { expect, it } from 'vitest';
import { foreignImports } from './foreign-imports.mjs';

/** @param {Partial<{ imports: string[], dynamicImports: string[], code: string }>} parts */
const file = (parts) => ({ fileName: 'parts/a.js', imports: [], dynamicImports: [], code: '', ...parts });

it('what is not built, not of Node and not among the packages is named', () => {
  const fine = file({
    imports: ['node:fs', 'fs/promises', 'parts/a.js', 'libsql'],
    dynamicImports: ['libsql/promise'],
    code: 'const one = require("util"); const two = require("pg-native"); const three = require("./a.js");',
  });
  expect(foreignImports([fine], ['libsql', 'pg-native'])).toEqual([]);
  const foreign = file({
    imports: ['fastify'],
    dynamicImports: ['libsqlite'],
    code: 'require("pg-native"); require("./b.js")',
  });
  expect(foreignImports([foreign], ['libsql'])).toEqual([
    'parts/a.js imports fastify',
    'parts/a.js imports libsqlite',
    'parts/a.js imports pg-native',
    'parts/a.js imports parts/b.js',
  ]);
});

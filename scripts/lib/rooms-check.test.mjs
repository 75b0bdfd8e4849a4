import { describe, expect, it } from 'vitest';
import { brokenRules } from './rooms-check.mjs';

/** @param {string[]} imports */
const room = (...imports) => ({ holds: 'x', imports });
const rooms = { main: room('top'), top: room('inner/low'), 'inner/low': room() };
const files = ['main.ts', 'errors.ts', 'top/a.ts', 'inner/low/b.ts'];
const needed = [
  { file: 'main.ts', line: 1, target: 'top/a.ts' },
  { file: 'top/a.ts', line: 2, target: 'inner/low/b.ts' },
];

describe('the table of rooms', () => {
  it('agrees with imports that it allows, those inside a room and those of shared files', () => {
    const more = [
      { file: 'top/a.ts', line: 1, target: 'top/c.ts' },
      { file: 'inner/low/b.ts', line: 1, target: 'errors.ts' },
    ];
    expect(brokenRules(rooms, { files, imports: [...needed, ...more] })).toEqual([]);
  });

  it.each([
    [
      'an import against the table',
      { rooms, files, imports: [...needed, { file: 'inner/low/b.ts', line: 7, target: 'top/a.ts' }] },
      'src/inner/low/b.ts:7 imports src/top/a.ts: inner/low may not import top (scripts/rooms.mjs)',
    ],
    [
      'a shared file that imports a room',
      { rooms, files, imports: [...needed, { file: 'errors.ts', line: 3, target: 'top/a.ts' }] },
      'src/errors.ts:3 imports src/top/a.ts: shared may not import top (scripts/rooms.mjs)',
    ],
    [
      'a folder without a room',
      { rooms, files: [...files, 'new/c.ts'], imports: needed },
      'src/new belongs to no room: add one to scripts/rooms.mjs',
    ],
    [
      'a room without files',
      { rooms: { ...rooms, gone: room() }, files, imports: needed },
      'scripts/rooms.mjs: the room gone has no files: remove it',
    ],
    [
      'a permission that nothing needs',
      { rooms, files, imports: needed.slice(0, 1) },
      'scripts/rooms.mjs: top may import inner/low, but no file does: remove the permission',
    ],
    [
      'a permission upwards',
      {
        rooms: { ...rooms, 'inner/low': room('top') },
        files,
        imports: [...needed, { file: 'inner/low/b.ts', line: 7, target: 'top/a.ts' }],
      },
      'scripts/rooms.mjs: inner/low may import top, which is not below it in the table: imports run one way',
    ],
  ])('is broken by %s', (_, { rooms: table, ...sources }, line) => {
    expect(brokenRules(table, sources)).toEqual([line]);
  });
});

import { describe, expect, it } from 'vitest';
import { flameGraph } from './flame-graph.mjs';
import { moduleFinder } from './modules.mjs';
import { frameTree, groupOf, sharesByGroup } from './profile.mjs';

const frame = (functionName = '', url = '', lineNumber = 0) => ({ functionName, url, lineNumber });

const SERVE = 'file:///conch/dist/parts/serve-abcdefgh.js';
/** As the build writes it. */
const built = `import "node:fs";
// ../@a/b/c.js
function b() {}
// ../fastify/node_modules/inner/index.js
function inner() {
  // src/not/a/name of a module
}
// src/http/events.js
function flush() {
  return 1;
}
// src/errors.js
function fail() {}
// \\0rolldown/runtime.js
function join() {}
`;
const moduleOf = moduleFinder((url) => (url === SERVE ? built : ''));

const profile = {
  startTime: 0,
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 3, 5] },
    { id: 2, callFrame: frame('(idle)') },
    { id: 3, callFrame: frame('flush', SERVE, 8), children: [4] },
    { id: 4, callFrame: frame('writeLatin1String') },
    { id: 5, callFrame: frame('<b>', SERVE, 2) },
  ],
  samples: [3, 3, 4, 2, 4, 5, 3],
  timeDeltas: [10, 100, 100, 100, 100, 100, 100],
};
const span = { from: 50, to: 650 };

describe('a profile', () => {
  it('is a tree of the time between two moments in which something ran', () => {
    const root = frameTree(profile, span, moduleOf);
    expect(root.total).toBe(500);
    expect(root.children.map(({ name, self, total }) => [name, self, total])).toEqual([
      ['flush', 200, 400],
      ['<b>', 100, 100],
    ]);
  });

  it('is shared out among those who used it', () => {
    expect(sharesByGroup(frameTree(profile, { from: 50, to: 520 }, moduleOf))).toEqual([
      { group: 'socket writes (kernel)', share: 0.5 },
      { group: 'Conch: http', share: 0.25 },
      { group: 'package @a/b', share: 0.25 },
    ]);
  });

  it.each([
    [frame('(garbage collector)'), 'garbage collection'],
    [frame('onread', 'node:internal/stream_base_commons'), "Node's own JavaScript (streams, http, timers)"],
    [frame('utf8Write'), 'native functions called from JavaScript'],
    [frame('main', 'file:///conch/dist/main.js'), 'Conch: main'],
    [frame('inner', SERVE, 4), 'package inner'],
    [frame('', SERVE, 6), 'package inner'],
    [frame('flush', SERVE, 9), 'Conch: http'],
    [frame('fail', SERVE, 12), 'Conch: main'],
    [frame('join', SERVE, 14), 'Conch: main'],
    [frame('sql', 'file:///conch/node_modules/libsql/index.js'), 'package libsql'],
  ])('knows whose a frame is: %j', (callFrame, group) => {
    expect(groupOf(callFrame, moduleOf)).toBe(group);
  });
});

describe('a flame graph', () => {
  it('draws each frame as wide as its time, and its name as text', () => {
    const svg = flameGraph(frameTree(profile, span, moduleOf), 'A & B');
    expect(svg).toContain('<title>A &amp; B</title>');
    expect(svg).toContain('<title>flush, 80.0 % (Conch: http)</title><rect x="10.0" y="51" width="943.5"');
    expect(svg).toContain('<title>&lt;b&gt;, 20.0 % (package @a/b)</title><rect x="954.0" y="51" width="235.5"');
  });

  it('leaves out what is too narrow to be seen', () => {
    const rare = { name: 'rare', group: 'g', self: 1, total: 1, children: [] };
    const often = { name: 'often', group: 'g', self: 999, total: 999, children: [] };
    const svg = flameGraph({ name: 'root', group: 'g', self: 0, total: 1000, children: [rare, often] }, 't');
    expect(svg).toContain('often');
    expect(svg).not.toContain('rare');
  });
});

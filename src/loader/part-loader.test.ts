import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CompiledCode, compiledFolders, machineName } from './compiled-code.ts';
import { hideLoaderWarning, PartLoader } from './part-loader.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conch-parts-'));
  mkdirSync(join(folder, 'parts'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writePart(name: string, code: string): void {
  const wrapped = `(function (exports, require, module, __filename, __dirname) {"use strict"; ${code}\n})\n`;
  writeFileSync(join(folder, 'parts', name), wrapped);
}

const own = () => join(folder, 'own');
const shipped = () => join(folder, 'shipped');
const loader = (code: CompiledCode | undefined = new CompiledCode({ own: own(), shipped: shipped() })) =>
  new PartLoader({ folder: join(folder, 'parts'), require: createRequire(import.meta.url), code });

/** What a fresh loader finds no compiled code for in this folder: it saves it into an empty one. */
function compiledAnew(from: string): string[] {
  const to = join(folder, 'anew');
  rmSync(to, { recursive: true, force: true });
  const code = new CompiledCode({ own: to, shipped: from });
  const parts = loader(code);
  parts.load('a.js');
  parts.save();
  return names(to);
}

function stackOf(fail: () => void): string | undefined {
  try {
    fail();
    return undefined;
  } catch (error) {
    return (error as Error).stack;
  }
}

function names(of: string): string[] {
  try {
    return readdirSync(of).toSorted();
  } catch {
    return [];
  }
}

describe('the loader of parts', () => {
  it('loads each part once, with what it requires', () => {
    writePart('a.js', `exports.b = require('./b.js'); exports.path = require('node:path'); exports.file = __filename;`);
    writePart('b.js', `exports.count = (globalThis.partCount = (globalThis.partCount ?? 0) + 1); exports.self = this;`);
    const parts = loader(undefined);
    const first = parts.load('a.js') as { b: { count: number; self: unknown }; path: unknown; file: string };
    expect(parts.load('a.js')).toBe(first);
    expect(first.b).toBe(parts.load('b.js'));
    expect(first.b).toEqual({ count: 1, self: first.b });
    expect(first.path).toBe(createRequire(import.meta.url)('node:path'));
    expect(first.file).toBe(join(folder, 'parts', 'a.js'));
    Reflect.deleteProperty(globalThis, 'partCount');
  });

  it('lets parts need each other', () => {
    writePart('a.js', `exports.early = 1; exports.seen = require('./b.js').seen;`);
    writePart('b.js', `exports.seen = require('./a.js').early;`);
    expect(loader().load('a.js')).toEqual({ early: 1, seen: 1 });
  });

  it('imports modules at run time', async () => {
    writePart('a.js', `exports.read = (url) => import(url);`);
    writeFileSync(join(folder, 'late.mjs'), 'export const late = 3;');
    const { read } = loader().load('a.js') as { read: (url: string) => Promise<{ late: number }> };
    expect((await read(new URL(`file://${join(folder, 'late.mjs')}`).href)).late).toBe(3);
  });

  it('names its files in stack traces, and keeps their lines', () => {
    writePart('a.js', `\nexports.fail = () => {\n  throw new Error('here');\n};`);
    const { fail } = loader().load('a.js') as { fail: () => void };
    expect(stackOf(fail)).toContain(`${join(folder, 'parts', 'a.js')}:3:`);
  });
});

describe('compiled code', () => {
  beforeEach(() => {
    writePart('a.js', `exports.b = require('./b.js').value + 1;`);
    writePart('b.js', `exports.value = 1;`);
    const parts = loader();
    parts.load('a.js');
    parts.save();
  });

  it('is saved for the next start, which compiles nothing', () => {
    expect(names(own())).toEqual(['a.js.compiled', 'b.js.compiled']);
    expect(compiledAnew(own())).toEqual([]);
  });

  it.each<[string, (file: Buffer) => Buffer]>([
    ['is cut short', (file) => file.subarray(0, -1)],
    ['is empty', () => Buffer.alloc(0)],
    ['has another byte', (file) => file.fill((file.at(-20) ?? 0) ^ 1, file.length - 20, file.length - 19)],
    ['is not ours', () => Buffer.from('compiled by somebody else, and long enough to have a digest')],
  ])('does not count where its file %s', (_, damage) => {
    const file = join(own(), 'b.js.compiled');
    writeFileSync(file, damage(readFileSync(file)));
    expect(compiledAnew(own())).toEqual(['b.js.compiled']);
    expect(loader().load('a.js')).toEqual({ b: 2 });
  });

  it('does not count for another source of the same length', () => {
    writePart('b.js', `exports.value = 5;`);
    expect(loader().load('a.js')).toEqual({ b: 6 });
    expect(compiledAnew(own())).toEqual(['b.js.compiled']);
  });

  it('is taken from the package where this user has none, or a damaged one', () => {
    const code = (): CompiledCode => new CompiledCode({ own: own(), shipped: shipped() });
    mkdirSync(shipped());
    const part = { name: 'b.js', sourceDigest: Buffer.alloc(32, 1) };
    new CompiledCode({ own: shipped(), shipped: '' }).save(part, Buffer.from('shipped'));
    writeFileSync(join(own(), 'b.js.compiled'), 'damaged');
    expect(code().find(part)?.toString()).toBe('shipped');
    code().save(part, Buffer.from('own'));
    expect(code().find(part)?.toString()).toBe('own');
  });

  it('does not count where another user has written it', () => {
    const uid = process.getuid?.() ?? 0;
    const part = { name: 'c.js', sourceDigest: Buffer.alloc(32, 1) };
    const code = new CompiledCode({ own: own(), shipped: shipped() });
    code.save(part, Buffer.from('mine'));
    expect(code.find(part)?.toString()).toBe('mine');
    const other = vi.spyOn(process, 'getuid').mockReturnValue(uid + 1);
    expect(code.find(part)).toBeUndefined();
    other.mockRestore();
  });

  it('is not saved where that cannot be done, and nothing is left behind', () => {
    const part = { name: 'c.js', sourceDigest: Buffer.alloc(32) };
    const inFile = join(folder, 'parts', 'a.js', 'folder');
    new CompiledCode({ own: inFile, shipped: shipped() }).save(part, Buffer.from('x'));
    new CompiledCode({ own: undefined, shipped: shipped() }).save(part, Buffer.from('x'));
    mkdirSync(join(own(), 'c.js.compiled'));
    new CompiledCode({ own: own(), shipped: shipped() }).save(part, Buffer.from('x'));
    expect(names(own())).toEqual(['a.js.compiled', 'b.js.compiled', 'c.js.compiled']);
    expect(names(shipped())).toEqual([]);
  });

  it('that V8 rejects is compiled again', () => {
    // V8 itself remembers what it has compiled in this process: only a source that it has not seen shows it.
    writePart('new.js', `exports.value = '${folder}';`);
    const code = new CompiledCode({ own: own(), shipped: shipped() });
    vi.spyOn(code, 'find').mockReturnValue(new Script('1').createCachedData());
    const save = vi.spyOn(code, 'save');
    const parts = loader(code);
    expect(parts.load('new.js')).toEqual({ value: folder });
    parts.save();
    expect(save.mock.calls.map(([{ name }]) => name)).toEqual(['new.js']);
  });
});

describe('the folders of compiled code', () => {
  it('are one in the package and one of the user, for this Node and its flags', () => {
    expect(compiledFolders('/conch/dist', { XDG_CACHE_HOME: '/cache' })).toEqual({
      own: expect.stringMatching(new RegExp(`^/cache/conch/compiled/${machineName}-[0-9a-f]+$`)),
      shipped: `/conch/dist/compiled/${machineName}`,
    });
  });

  it.each(['NODE_DISABLE_COMPILE_CACHE', 'NODE_V8_COVERAGE'])('are not used with %s', (name) => {
    expect(compiledFolders('/conch/dist', { [name]: '1' })).toBeUndefined();
  });
});

it('hides the warning of its own loader, and no other', () => {
  const displayed: unknown[] = [];
  const host = { emitWarning: (...details: unknown[]) => void displayed.push(details) };
  hideLoaderWarning(host);
  const experimental = (name: string) => `${name} is an experimental feature and might change at any time`;
  host.emitWarning(experimental('vm.USE_MAIN_CONTEXT_DEFAULT_LOADER'), 'ExperimentalWarning');
  host.emitWarning(experimental('vm.measureMemory'), 'ExperimentalWarning');
  expect(displayed).toEqual([[experimental('vm.measureMemory'), 'ExperimentalWarning']]);
});

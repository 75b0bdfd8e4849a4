import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const sources = dirname(fileURLToPath(import.meta.url));

/** All that is loaded with these files before their first lines run: modules of ours, and packages. */
function loadedWith(...files: string[]): { readonly modules: string[]; readonly packages: string[] } {
  const modules = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (modules.has(file)) return;
    modules.add(file);
    for (const name of importsOf(readFileSync(file, 'utf8'))) {
      if (name.startsWith('.')) visit(join(dirname(file), name));
      else if (!name.startsWith('node:')) packages.add(name);
    }
  };
  for (const file of files) visit(join(sources, file));
  return { modules: [...modules].map((file) => relative(sources, file)), packages: [...packages].toSorted() };
}

/** The static imports that are left when types are gone. */
function importsOf(text: string): string[] {
  const statements = text.matchAll(/^(?:import|export)(?! type\b)(?:[^;'"]*? from)? ?'([^']+)';$/gms);
  return [...statements].map(([, name = '']) => name);
}

const { modules, packages } = loadedWith('main.ts', 'serve/service.ts');

describe('a plain start', () => {
  it('loads these packages and no other: what is seldom needed is loaded with import()', () => {
    expect(packages).toEqual([
      '@fastify/cors',
      '@huggingface/jinja',
      'fastify',
      'pino',
      'prom-client',
      'protobufjs/light.js',
      'yaml',
      'zod',
    ]);
  });

  it.each([
    'cli/commands.ts',
    'serve/own-servers.ts',
    'serve/kserve.ts',
    'serve/key-readers.ts',
    'serve/workers/primary.ts',
    'servers/embedded/',
    'repository/',
    'responses/store/sqlite',
    'responses/store/postgres',
    'limits/redis',
    'telemetry/tracing/open-tracing.ts',
    'telemetry/pretty.ts',
    'prompt/render-history.ts',
  ])('does not load src/%s', (path) => {
    expect(modules.filter((module) => module.startsWith(path))).toEqual([]);
  });
});

describe('the primary of several workers', () => {
  const primary = loadedWith('main.ts', 'serve/workers/primary.ts');

  it('loads these packages and no other', () => {
    expect(primary.packages).toEqual(['pino', 'yaml', 'zod']);
  });

  it.each(['apis/', 'generate/', 'http/', 'kserve/', 'servers/remote/', 'serve/service.ts'])(
    'does not load src/%s',
    (path) => {
      expect(primary.modules.filter((module) => module.startsWith(path))).toEqual([]);
    },
  );
});

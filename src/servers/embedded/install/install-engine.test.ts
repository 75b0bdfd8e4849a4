import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { engineVariant, engineVersion, thisMachine } from './engine-package.ts';
import { installEngine, installedFolder, loadEngine } from './install-engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-engine-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());

describe('engineVariant', () => {
  const linux = { platform: 'linux', architecture: 'x64', isMusl: false, hasNvidia: false };

  it('knows the packages of each machine', () => {
    expect(engineVariant(linux, false)).toEqual({ name: 'linux-x64', packages: ['linux-x64'], gpu: undefined });
    expect(engineVariant(linux, true).packages).toEqual(['linux-x64', 'linux-x64-vulkan']);
    expect(engineVariant({ ...linux, hasNvidia: true }, true).packages).toEqual([
      'linux-x64',
      'linux-x64-cuda',
      'linux-x64-cuda-ext',
    ]);
    expect(engineVariant(linux, 'cuda').name).toBe('linux-x64-cuda');
    expect(engineVariant({ ...linux, platform: 'darwin', architecture: 'arm64' }, false)).toMatchObject({
      name: 'mac-arm64-metal',
      gpu: 'metal',
    });
    expect(engineVariant({ ...linux, platform: 'win32' }, 'vulkan').packages).toEqual(['win-x64', 'win-x64-vulkan']);
    expect(engineVariant({ ...linux, architecture: 'arm64' }, false).packages).toEqual(['linux-arm64']);
  });

  it('says what to do where there is none', () => {
    expect(() => engineVariant({ ...linux, platform: 'freebsd' }, false)).toThrow(
      'There is no prebuilt llama.cpp for freebsd on x64. Serve models from a Triton server instead: conch --triton host:8001.',
    );
    expect(() => engineVariant({ ...linux, isMusl: true }, false)).toThrow('on x64 with musl');
    expect(() => engineVariant({ ...linux, architecture: 'arm64' }, 'cuda')).toThrow(
      'no prebuilt llama.cpp with cuda for linux on arm64',
    );
  });
});

describe('installEngine', () => {
  it('says in one line that the registry is unreachable, and leaves no files', async () => {
    vi.stubEnv('npm_config_registry', 'http://127.0.0.1:9/');
    vi.stubEnv('npm_config_cache', join(folder, 'npm'));
    vi.stubEnv('npm_config_fetch_retries', '0');
    const cacheDir = join(folder, 'offline');
    await expect(installEngine({ cacheDir })).rejects.toThrow(
      /^The engine could not be downloaded: the npm registry is unreachable \(ECONNREFUSED\)\. Connect to the network and retry, or install it on another machine/,
    );
    expect(readdirSync(join(cacheDir, 'engine'))).toEqual([]);
  }, 60_000);

  it('uses the installed engine without a download, one for a graphics card first', async () => {
    vi.stubEnv('npm_config_registry', 'http://127.0.0.1:9/');
    const cacheDir = join(folder, 'filled');
    const { name } = engineVariant(thisMachine(), false);
    const locate = (variant: string): string => join(cacheDir, 'engine', `node-llama-cpp-${engineVersion}-${variant}`);
    const fill = (variant: string): void => {
      const dist = join(locate(variant), 'node_modules', 'node-llama-cpp', 'dist');
      mkdirSync(dist, { recursive: true });
      writeFileSync(join(dist, 'index.js'), `exports.getLlama = () => '${variant}';`);
    };
    fill(name);
    let calls = 0;
    expect(await installEngine({ cacheDir, onProgress: () => calls++ })).toBe(locate(name));
    expect(calls).toBe(0);
    expect((await loadEngine({ cacheDir })).gpu).toBe(false);
    fill(`${name}-vulkan`);
    expect(installedFolder(cacheDir)).toBe(locate(`${name}-vulkan`));
    expect((await loadEngine({ cacheDir })).gpu).toBe(true);
  });

  it('says which folder to delete when what is there is broken', async () => {
    const cacheDir = join(folder, 'broken');
    const { name } = engineVariant(thisMachine(), false);
    const dist = join(
      cacheDir,
      'engine',
      `node-llama-cpp-${engineVersion}-${name}`,
      'node_modules',
      'node-llama-cpp',
      'dist',
    );
    mkdirSync(dist, { recursive: true });
    writeFileSync(join(dist, 'index.js'), 'throw new Error("half a file")');
    await expect(loadEngine({ cacheDir })).rejects.toThrow(/cannot be loaded \(half a file\)\. Delete that folder/);
  });
});

import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { adapterFolder, config, weights } from '../../test/support/npy.ts';
import { isWindows } from '../../test/support/system-program.ts';
import type { AdapterFormat } from '../contracts/contract.ts';
import type { ServerAdapters } from '../kserve/server.ts';
import { type StatusCode, StatusError } from '../kserve/status.ts';
import { loadAdapter } from './adapter-loading.ts';
import { AdapterRegistry } from './adapters.ts';
import type { ModelRegistry } from './registry.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-adapter-loading-'));
const root = join(folder, 'root');
mkdirSync(root);
afterAll(() => rmSync(folder, { recursive: true }));

const format: AdapterFormat = { datatype: 'FP16', isMissing: () => false };
const contract = { kind: 'trtllm', namesAdapters: false, adapterFormat: format };

const files = ['model.lora_weights.npy', 'model.lora_config.npy'];
const folderAt = (location: string): string =>
  adapterFolder(location, { weights: weights([[1]]), config: config([[1, 0, 8]]) });

/** Puts a link to a file elsewhere in the place of a file. */
function replaceByLink(location: string, file: string, elsewhere: string): void {
  mkdirSync(elsewhere, { recursive: true });
  renameSync(join(location, file), join(elsewhere, file));
  symlinkSync(join(elsewhere, file), join(location, file));
}

function servicesFor(adapters?: ServerAdapters) {
  const model = { name: 'm', root: 'm', model: 'm', contract, group: { servers: [{ adapters }] } };
  const models = { findForRequest: () => model } as unknown as ModelRegistry;
  return { models, adapterRegistry: new AdapterRegistry(), loraRoot: root };
}

const option = (path: string) => ({ name: 'a', path, model: 'm', replaces: false });

describe.skipIf(isWindows)('loading the folder of an adapter', () => {
  it.each(files)('refuses one whose %s is a link out of the root', async (file) => {
    const name = `out-${file}`;
    replaceByLink(folderAt(join(root, name)), file, join(folder, 'elsewhere'));
    const services = servicesFor();
    await expect(loadAdapter(option(name), services)).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'lora_path',
      message: `lora_path: ${name}/${file} is a link to a file outside the --lora-root folder.`,
    });
    expect(services.adapterRegistry.names('m')).toEqual([]);
  });

  it('follows links that stay inside the root', async () => {
    for (const file of files) {
      const name = `in-${file}`;
      replaceByLink(folderAt(join(root, name)), file, join(root, 'blobs'));
      const services = servicesFor();
      await loadAdapter(option(name), services);
      expect(services.adapterRegistry.names('m')).toEqual(['a']);
    }
  });

  it('does not read a file later that has become such a link', async () => {
    const location = folderAt(join(root, 'later'));
    const services = servicesFor();
    await loadAdapter(option('later'), services);
    const sent = services.adapterRegistry.sentTo({ root: 'm', contract: { ...contract, kind: 'trtllm' } }).choose('a');
    expect(await sent?.sentAdapter?.folder.read(format)).toMatchObject({ config: [1, 0, 8] });
    replaceByLink(location, 'model.lora_weights.npy', join(folder, 'later'));
    await expect(sent?.sentAdapter?.folder.read(format)).rejects.toThrow(
      'is a link to a file outside the --lora-root folder.',
    );
  });
});

describe('loading an adapter into an engine', () => {
  writeFileSync(join(root, 'a.gguf'), '');
  const failing = (code: StatusCode): ServerAdapters => ({
    names: () => [],
    load: (_, { file }) => Promise.reject(new StatusError(code, `${file} is wrong.`)),
    unload: () => undefined,
  });

  it.each([
    ['INVALID_ARGUMENT', { code: 'invalid_request', param: 'lora_path', message: 'lora_path: a.gguf is wrong.' }],
    [
      'NOT_FOUND',
      { code: 'model_not_ready', param: 'model', message: 'The model m was unloaded. Load it and try again.' },
    ],
    ['INTERNAL', { name: 'StatusError', code: 'INTERNAL' }],
  ] as const)('says of %s whose fault it is', async (code, error) => {
    await expect(loadAdapter(option('a.gguf'), servicesFor(failing(code)))).rejects.toMatchObject(error);
  });
});

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adapterFolder, config, weights } from '../../test/support/npy.ts';
import { isWindows } from '../../test/support/system-program.ts';
import { SettingsError } from '../config/settings-error.ts';
import { AdapterRegistry } from '../models/adapters.ts';
import type { FoundServedModel } from '../models/registry-options.ts';
import { adapterFinder, openAdapterRegistry } from './model-adapters.ts';

type Settings = Parameters<typeof openAdapterRegistry>[0];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conch-repository-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const good = { weights: weights([[1, 2]]), config: config([[1, 0, 8]]) };
const write = (path: string, text: string): void => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const settings = (models: Settings['models'] = {}): Settings =>
  ({ models, modelRepository: [join(folder, 'models')], origins: new Map() }) as unknown as Settings;
const linesOf = async (value = settings()): Promise<readonly string[]> => {
  const failure = await openAdapterRegistry(value).catch((error: unknown) => error);
  return failure instanceof SettingsError ? failure.problems.map((line) => line.replaceAll(folder, '')) : [];
};

describe('openAdapterRegistry', () => {
  it("finds multi_lora.json in the newest version of a model, but not vLLM's", async () => {
    adapterFolder(join(folder, 'models', 'adapters', 'poems'), good);
    write('models/ensemble/1/multi_lora.json', '{"old":"adapters/old"}');
    write('models/ensemble/10/multi_lora.json', '{"poems":"adapters/poems"}');
    write('models/llama/1/multi_lora.json', '{"a":"/elsewhere/a"}');
    write('models/llama/1/model.json', '{}');
    const book = await openAdapterRegistry(settings());
    expect([book.names('ensemble'), book.names('llama')]).toEqual([['poems'], []]);
  });

  it.skipIf(isWindows)('refuses folders elsewhere, missing ones, and files that are no map', async () => {
    adapterFolder(join(folder, 'outside'), good);
    mkdirSync(join(folder, 'models'));
    symlinkSync(join(folder, 'outside'), join(folder, 'models', 'link'));
    write('models/a/1/multi_lora.json', '{"up":"../outside","link":"link","gone":"gone","number":1}');
    write('models/b/1/multi_lora.json', '["x"]');
    expect(await linesOf()).toEqual([
      '/models/a/1/multi_lora.json: up: The folder ../outside must be inside /models.',
      '/models/a/1/multi_lora.json: link: The folder link must be inside /models.',
      '/models/a/1/multi_lora.json: gone: The folder gone does not exist in /models.',
      '/models/a/1/multi_lora.json: number: The file must be a JSON object that maps adapter names to folders.',
      '/models/b/1/multi_lora.json: The file must be a JSON object that maps adapter names to folders.',
    ]);
  });

  it('refuses two adapters of one name, one in the settings and one in the repository', async () => {
    const dir = adapterFolder(join(folder, 'models', 'adapters', 'poems'), good);
    write('models/ensemble/1/multi_lora.json', '{"poems":"adapters/poems"}');
    expect(await linesOf(settings({ ensemble: { lora: { poems: { dir } } } }))).toEqual([
      '/models/ensemble/1/multi_lora.json: poems: the settings have another adapter with this name. Rename one of them.',
    ]);
  });
});

describe('adapterFinder', () => {
  const noRepository = { modelRepository: [], triton: [] } as unknown as Settings;
  const finder = adapterFinder(noRepository, new AdapterRegistry());
  const found = (contract: object) => ({ root: 'm', contract, group: { servers: [] } }) as unknown as FoundServedModel;
  const llmapi = found({ kind: 'llmapi', takesAdapterPaths: true });
  const sql = { server_path: '/adapters/sql' };

  it('gives the folders on the server to a model that takes them, each with its own number', async () => {
    const lora = { sql, old: { ...sql, task_id: 7, source: 'nemo' as const } };
    const adapters = finder(llmapi, { lora });
    expect(await adapters.names()).toEqual(['sql', 'old']);
    expect(adapters.choose('old')).toEqual({
      loraName: 'old',
      loraTaskId: undefined,
      adapterPath: { id: 7, path: '/adapters/sql', source: 'nemo' },
    });
    const { id } = adapters.choose('sql')?.adapterPath ?? {};
    expect(id).toBeGreaterThan(0);
    expect(finder(llmapi, { lora: { sql } }).choose('sql')?.adapterPath?.id).toBe(id);
    const moved = finder(llmapi, { lora: { sql: { server_path: '/adapters/2' } } });
    expect(moved.choose('sql')?.adapterPath?.id).not.toBe(id);
    expect(() => adapters.choose('other')).toThrow('sql, old');
    expect(finder(llmapi, {}).choose('sql')).toBeUndefined();
  });

  it.each<[string, FoundServedModel, object, string]>([
    ['names', llmapi, ['sql'], 'must be a map of adapter names to server_path, the folders on the server.'],
    ['folders here', llmapi, { sql: { dir: '/a' } }, 'must be a map of adapter names to server_path'],
    [
      'folders there',
      found({ kind: 'trtllm' }),
      { sql },
      "must be a map of adapter names to dir: only TensorRT-LLM's LLM API",
    ],
  ])('says what the setting must be: %s', (_, model, lora, message) => {
    expect(() => finder(model, { lora } as never).choose('sql')).toThrow(message);
  });
});

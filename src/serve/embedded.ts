import { basename } from 'node:path';
import type { CommandInput } from '../config/load.ts';
import { namedFile } from '../config/paths.ts';
import { SettingsError } from '../config/settings-error.ts';
import { EngineError } from '../engine-error.ts';
import { hubSettings } from '../prompt/hub-request.ts';
import type { EmbeddedModel } from '../repository/repository-model.ts';
import { EmbeddedServer } from '../servers/embedded/embedded-server.ts';
import type { EmbeddedModelOptions } from '../servers/embedded/engine/load-model.ts';
import { defaultModel, fetchDefaultModel } from '../servers/embedded/install/default-model.ts';
import { loadEngine } from '../servers/embedded/install/install-engine.ts';
import type { ServerListener } from './servers.ts';
import type { Terminal } from './terminal.ts';

type Settings = CommandInput['settings'];

/** The model that is served by default. */
export async function defaultModels(settings: Settings, terminal: Terminal): Promise<EmbeddedModelOptions[]> {
  const { hfEndpoint: endpoint, hfToken: token, cacheDir } = settings;
  const what = `Downloading the model ${defaultModel.name}`;
  const file = await plainly(() =>
    fetchDefaultModel({
      cacheDir,
      hub: hubSettings({ endpoint, token, cacheFolder: cacheDir }, terminal.environment),
      onProgress: (fraction) => terminal.progress({ what, done: fraction, total: 1, unit: 'percent' }),
      signal: terminal.stop,
    }),
  );
  return [{ name: defaultModel.name, file, defaults: defaultModel.defaults, ...engineSettings(settings) }];
}

/** The models of --model, each under the name of its file unless another one is set. */
export function namedModels(settings: Settings): EmbeddedModelOptions[] {
  const lora = settings.lora.map(nameAndFile);
  return settings.model.map((written) => ({
    ...nameAndFile(written),
    ...engineSettings(settings),
    ...(lora.length > 0 ? { lora } : {}),
  }));
}

/** The models of a repository that run in this process, each version that is to be served. */
export function repositoryModels(models: readonly EmbeddedModel[], settings: Settings): EmbeddedModelOptions[] {
  return models.flatMap(({ name, llamacpp: { files, contextLength, sequences, adapters } }) =>
    [...files].map(([version, file]) => ({
      ...engineSettings(settings),
      name,
      version: String(version),
      file,
      ...(contextLength === undefined ? {} : { contextLength }),
      ...(sequences === undefined ? {} : { sequences }),
      ...(adapters.length > 0 ? { lora: adapters } : {}),
    })),
  );
}

/** Starts the engine with these models. A model that fails to load is reported; if all fail, this throws. */
export async function openEmbedded(
  models: readonly EmbeddedModelOptions[],
  { settings, terminal, listener }: { settings: Settings; terminal: Terminal; listener: ServerListener },
): Promise<EmbeddedServer> {
  const { cacheDir } = settings;
  const show = (what: string) => (fraction: number) =>
    terminal.progress({ what, done: fraction, total: 1, unit: 'percent' });
  const load = () =>
    loadEngine({ cacheDir, onProgress: show('Installing the engine (node-llama-cpp)'), signal: terminal.stop });
  const server = await plainly(
    async () =>
      new EmbeddedServer({
        models,
        engine: { load, onLog: (level, text) => listener.onLog(level === 'error' ? 'error' : 'debug', text) },
        version: terminal.version,
        onProgress: (model, fraction) => show(`Loading ${model}`)(fraction),
      }),
  );
  const loadsAtStart = (name: string): boolean => isLoadedAtStart(name, settings);
  const failures = await server.loadAll(loadsAtStart);
  const lines = failures.map(({ name, error }) => `The model ${name} cannot be served: ${error.message}`);
  if (failures.length > 0 && failures.length === models.filter(({ name }) => loadsAtStart(name)).length) {
    await server.close();
    throw new SettingsError(lines);
  }
  for (const line of lines) listener.onLog('error', line);
  return server;
}

/**
 * With explicit control, models of a repository are loaded only by request; with --load-on-demand, all models are.
 * --load-model overrides both.
 */
function isLoadedAtStart(name: string, settings: Settings): boolean {
  const { modelControlMode, loadModel, loadOnDemand } = settings;
  if (loadOnDemand) return loadModel.includes('*') || loadModel.includes(name);
  if (modelControlMode === 'none' || loadModel.includes('*') || loadModel.includes(name)) return true;
  return namedModels(settings).some((model) => model.name === name);
}

/** What is set for all embedded models. */
function engineSettings({ threads, sequences, maxQueueSize, contextLength }: Settings): Partial<EmbeddedModelOptions> {
  return {
    sequences,
    queueSize: maxQueueSize,
    ...(threads === undefined ? {} : { threads }),
    ...(contextLength === undefined ? {} : { contextLength }),
  };
}

/** `NAME=FILE`, or a file whose name without its ending is the name. */
function nameAndFile(written: string): { name: string; file: string } {
  const [name, file] = namedFile(written);
  return { name: name === '' ? basename(file).replace(/\.gguf$/i, '') : name.slice(0, -1), file };
}

/** Runs a step whose failures are for the operator, one line each. */
async function plainly<Result>(step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof EngineError) throw new SettingsError([error.message]);
    throw error;
  }
}

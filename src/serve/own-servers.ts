import { insideOneProcess } from '../config/cross-checks.ts';
import type { CommandInput } from '../config/load.ts';
import { SettingsError } from '../config/settings-error.ts';
import type { InferenceServer } from '../kserve/server.ts';
import { embeddedBackend } from '../repository/backend.ts';
import { RepositoryError } from '../repository/finding.ts';
import { readRepository } from '../repository/read-repository.ts';
import type { EmbeddedModel, RepositoryModel } from '../repository/repository-model.ts';
import { shellText, type TritonCommand, tritonCommand } from '../servers/managed/command-line.ts';
import { findTritonserver, noTriton } from '../servers/managed/find-tritonserver.ts';
import { type ManagedOptions, ManagedServer } from '../servers/managed/managed-server.ts';
import { MovingServer } from '../servers/managed/moving-server.ts';
import { defaultModels, namedModels, openEmbedded, repositoryModels } from './embedded.ts';
import { channelOptions } from './part-settings.ts';
import type { ServerContext, ServerInput } from './servers.ts';
import type { Terminal } from './terminal.ts';
import type { WorkerContext } from './workers/worker-context.ts';

type Settings = CommandInput['settings'];

/** The ports in the command of a dry run, which opens none. */
const examplePorts = { http: 8000, grpc: 8001, metrics: 8002 };

/** Conch's own servers: a managed tritonserver and the embedded engine, with the default model if there is no other. */
export async function openOwn(
  input: ServerInput,
  context: ServerContext & { readonly servesOthers: boolean },
): Promise<InferenceServer[]> {
  const { settings } = input;
  const { worker } = context.terminal;
  const servers: InferenceServer[] = [];
  const hasRepository = settings.modelRepository.length > 0;
  if (worker && hasRepository) servers.push(followedServer(settings, worker));
  const repository = hasRepository && !worker ? await repositoryOf(settings, context) : undefined;
  const embedded = [...repositoryModels(repository?.embedded ?? [], settings), ...namedModels(settings)];
  try {
    if (repository && repository.triton.length > 0) servers.push(await managedServer(input, repository, context));
    const usesDefaultModel = !context.servesOthers && servers.length + embedded.length === 0 && !repository;
    const models = usesDefaultModel ? await defaultModels(settings, context.terminal) : embedded;
    if (models.length > 0) servers.push(await openEmbedded(models, { settings, ...context }));
    return servers;
  } catch (error) {
    await Promise.all(servers.map((server) => server.close()));
    throw error;
  }
}

/** The tritonserver that all workers share. Throws a SettingsError if the repository has embedded models. */
export async function openManaged(
  input: ServerInput,
  context: ServerContext & Pick<ManagedOptions, 'onPorts'>,
): Promise<ManagedServer> {
  const { settings } = input;
  const repository = await repositoryOf(settings, context);
  const [inside] = repository.embedded;
  if (inside) throw new SettingsError([insideOneProcess(settings, inside.name)]);
  return managedServer(input, repository, context);
}

/** The command that would start tritonserver, as shell text. */
export async function dryRun(input: ServerInput, context: ServerContext): Promise<string> {
  const { settings } = input;
  if (settings.modelRepository.length === 0)
    throw new SettingsError(['--dry-run prints the command that starts tritonserver. It needs --model-repository.']);
  const repository = await repositoryOf(settings, context);
  return shellText(tritonCommand(await commandOf(input, repository, context.terminal), examplePorts));
}

/** The models of the repositories: embedded ones, and the names of those for tritonserver. */
interface RepositoryParts {
  readonly embedded: readonly EmbeddedModel[];
  readonly triton: readonly string[];
  /** The engines that the later ranks of a TensorRT-LLM model load. */
  readonly engines: readonly string[];
}

async function repositoryOf(settings: Settings, { listener }: ServerContext): Promise<RepositoryParts> {
  try {
    const { models } = await readRepository(settings.modelRepository);
    const embedded = models.filter((model) => model.state === 'available' && model.runsOn === 'embedded');
    // tritonserver itself reports its broken models.
    const broken = models
      .filter((model) => model.state === 'unavailable')
      .filter(({ backend }) => backend === undefined || backend === embeddedBackend);
    const lines = broken.map(({ name, reason }) => `The model ${name} cannot be served: ${reason}`);
    if (broken.length === models.length) throw new SettingsError(lines);
    for (const line of lines) listener.onLog('error', line);
    const ours = new Set<RepositoryModel>([...embedded, ...broken]);
    const others = models.filter((model) => !ours.has(model));
    return {
      embedded,
      triton: others.map(({ name }) => name),
      engines: others.filter(({ backend }) => backend === 'tensorrtllm').map(({ name }) => name),
    };
  } catch (error) {
    if (error instanceof RepositoryError) throw new SettingsError(error.problems);
    throw error;
  }
}

async function managedServer(
  input: ServerInput,
  repository: RepositoryParts,
  { terminal, listener: { onLog }, onPorts }: ServerContext & Pick<ManagedOptions, 'onPorts'>,
): Promise<ManagedServer> {
  const server = new ManagedServer({
    command: await commandOf(input, repository, terminal),
    hiddenModels: repository.embedded.map(({ name }) => name),
    environment: terminal.environment,
    channel: channelOptions(input.settings),
    onLog,
    onDown: (reason, restartsIn) =>
      onLog('error', `tritonserver is down: ${reason}. It restarts in ${restartsIn / 1000} s.`),
    ...(onPorts ? { onPorts } : {}),
  });
  await server.start();
  return server;
}

/** The primary's tritonserver, for a worker. */
function followedServer(settings: Settings, worker: WorkerContext): MovingServer {
  const server = new MovingServer({
    hiddenModels: [],
    repositories: settings.modelRepository,
    channel: channelOptions(settings),
    restart: () => worker.restartTriton(),
  });
  worker.followTriton((ports) => server.moveTo(ports));
  return server;
}

async function commandOf(
  { settings, rest }: ServerInput,
  { embedded, triton, engines }: RepositoryParts,
  { environment }: Pick<Terminal, 'environment'>,
): Promise<TritonCommand> {
  const found = await findTritonserver({
    explicitPath: settings.tritonserver,
    path: environment['PATH'] ?? '',
    cacheDirectory: settings.cacheDir,
  });
  if (!found) throw new SettingsError([noTriton]);
  // In a mixed repository, tritonserver gets its models by name. Otherwise it would try to load the embedded ones.
  const isMixed = embedded.length > 0 && settings.modelControlMode === 'none';
  return {
    program: found.program,
    repositories: settings.modelRepository,
    modelControlMode: isMixed ? 'explicit' : settings.modelControlMode,
    loadModels: isMixed ? triton : settings.loadModel,
    logVerboseLevel: settings.tritonserverLogVerboseLevel,
    backendDirectory: found.backendDirectory,
    worldSize: settings.worldSize,
    rankModels: engines.length > 0 ? engines : ['tensorrt_llm'],
    extra: rest,
  };
}

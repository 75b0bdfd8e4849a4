import { z } from 'zod';
import { type CommandInput, ownFlags } from '../../config/load.ts';
import { setting } from '../../config/setting.ts';
import { SettingsError } from '../../config/settings-error.ts';
import type { InferenceServer } from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';
import type { ModelRegistry } from '../../models/registry.ts';
import { openCore } from '../../serve/core.ts';
import type { Terminal } from '../../serve/terminal.ts';
import { untilSettled } from '../../serve/until-settled.ts';
import type { CliCommand } from '../command.ts';
import { type Diagnosis, diagnose } from './diagnosis.ts';
import { diagnosisText } from './diagnosis-text.ts';
import { probe } from './probe.ts';
import { type ProbedFacts, probeFacts } from './probe-facts.ts';

const definition = {
  name: 'doctor',
  summary: 'Diagnose each model: detected contract, supported features, missing configuration',
  groups: ['servers', 'repository', 'embedded', 'models', 'general'],
  arguments: '[MODEL]',
  flags: {
    probe: setting(
      z.boolean().default(false),
      'Send each model short requests. This shows its text and timing, and finds out what a vLLM model supports.',
    ),
    json: setting(z.boolean().default(false), 'Print JSON.'),
  },
  exitCodes: { 1: 'A model cannot be served, or a server is unreachable.' },
  examples: ['conch doctor --triton localhost:8001', 'conch doctor ensemble --triton localhost:8001 --probe'],
} as const;

/** `conch doctor`: exit code 1 when a model cannot be served. */
export const doctorCommand: CliCommand = { definition, run };

async function run(input: CommandInput, terminal: Terminal): Promise<number> {
  const [modelName, ...more] = input.positionals;
  if (more.length > 0) throw new SettingsError(['conch doctor takes at most one model. Write conch doctor [MODEL].']);
  const flags = ownFlags(input, definition);
  const { servers, registry, close } = await openCore(input, terminal, {
    onNote: (note) => terminal.err(note),
    onLog: (level, text) => {
      if (level === 'error') terminal.err(text);
    },
    // The diagnosis contains it.
    onError: () => undefined,
  });
  try {
    await untilSettled(registry, input);
    const errors = new Map(registry.servers().map(({ server, error }) => [server, error]));
    const described = await Promise.all(servers.current.map((server) => describeServer(server, errors.get(server))));
    const emulates = input.settings.structuredRetries > 0;
    const all = await diagnose(registry, emulates);
    const chosen = modelName === undefined ? all : all.filter(({ model }) => model === modelName);
    const isAnyReachable = described.some(({ error }) => error === undefined);
    if (chosen.length === 0 && (modelName !== undefined || isAnyReachable))
      throw new SettingsError([noSuchModel(modelName, all)]);
    const diagnoses = flags.probe ? await probeAll(chosen, registry, emulates) : chosen;
    terminal.out(
      flags.json
        ? JSON.stringify({ servers: described, models: diagnoses }, null, 2)
        : [described.map(serverText).join('\n'), ...diagnoses.map(diagnosisText)].join('\n\n'),
    );
    return diagnoses.every(isWell) && described.every(({ error }) => error === undefined) ? 0 : 1;
  } finally {
    await close();
  }
}

/** Sends the models requests, and diagnoses them again. */
async function probeAll(
  chosen: readonly Diagnosis[],
  registry: ModelRegistry,
  emulates: boolean,
): Promise<Diagnosis[]> {
  const found = new Map<string, ProbedFacts | undefined>();
  for (const { model, isServed } of chosen) if (isServed) found.set(model, await probeFacts(model, registry));
  // The registry learns from the requests.
  const learnt = await diagnose(registry, emulates);
  const probed: Diagnosis[] = [];
  for (const before of chosen) {
    const now = learnt.find(({ model, server }) => model === before.model && server === before.server) ?? before;
    const facts = found.get(now.model);
    const withFacts = facts ? { ...now, facts } : now;
    probed.push(now.isServed ? { ...withFacts, probe: await probe(now.model, registry) } : withFacts);
  }
  return probed;
}

interface ServerDiagnosis {
  readonly server: string;
  readonly name?: string;
  readonly version?: string;
  /** Why its models are unknown. */
  readonly error?: string;
  readonly isReachable: boolean;
}

/** `lookError` is the error of the search for its models. */
async function describeServer(server: InferenceServer, lookError: Error | undefined): Promise<ServerDiagnosis> {
  const problem = lookError ? { error: lookError.message } : {};
  try {
    const { name, version } = await server.call('ServerMetadata', {}, { timeout: longestCall });
    return { server: server.name, name, version, ...problem, isReachable: true };
  } catch (error) {
    // Dynamo has no ServerMetadata.
    if (error instanceof StatusError && error.code === 'UNIMPLEMENTED')
      return { server: server.name, ...problem, isReachable: true };
    const message = error instanceof Error ? error.message : String(error);
    return { server: server.name, error: message, isReachable: false };
  }
}

const longestCall = 5_000;

function serverText({ server, name, version, error, isReachable }: ServerDiagnosis): string {
  if (!isReachable) return `${server}: unreachable: ${error}`;
  const title = `${server}: ${name === undefined ? 'no name and version (ServerMetadata)' : `${name} ${version}`}`;
  return error === undefined ? title : `${title}\n  ${error}`;
}

/** A part of another model need not be served. */
function isWell({ isServed, isInner, probe: probed }: Diagnosis): boolean {
  return isInner || (isServed && probed?.error === undefined);
}

function noSuchModel(modelName: string | undefined, all: readonly Diagnosis[]): string {
  if (modelName === undefined) return 'The servers have no models.';
  return `No server has the model ${JSON.stringify(modelName)}. Available models: ${all.map(({ model }) => model).join(', ')}.`;
}

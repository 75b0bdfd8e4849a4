import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, parseJsonObject } from '../json-object.ts';
import { untilEnd } from '../kserve/awaited-responses.ts';
import { StatusError } from '../kserve/status.ts';
import type { ServedModel } from './served-model.ts';

const askTimeout = 5_000;

/** Milliseconds for which a result is cached: a reloaded model may have other adapters. */
const freshness = { known: 300_000, unknown: 30_000 };

type QueriedModel = Pick<ServedModel, 'model' | 'version' | 'contract' | 'group'>;

/**
 * Gets the adapters of a model from Triton's vLLM backend, which lists them in the error for an unknown adapter. The
 * request fails before it reaches the engine. The result is cached for a while.
 */
export function adapterQuery(model: QueriedModel): () => Promise<readonly string[] | undefined> {
  let cachedNames: Promise<readonly string[] | undefined> | undefined;
  let until = 0;
  const ask = async (): Promise<readonly string[] | undefined> => {
    const names = await queryAdapters(model);
    until = Date.now() + (names ? freshness.known : freshness.unknown);
    return names;
  };
  return () => {
    if (!cachedNames || Date.now() > until) {
      until = Number.POSITIVE_INFINITY;
      cachedNames = ask();
    }
    return cachedNames;
  };
}

async function queryAdapters({
  model,
  version,
  contract,
  group,
}: QueriedModel): Promise<readonly string[] | undefined> {
  const [server] = group.servers;
  const request = contract.encode({
    id: 'conch-adapters',
    model,
    version,
    prompt: '.',
    sampling: { maxTokens: 1 },
    stream: false,
    loraName: 'conch asks which adapters there are',
  });
  try {
    if (server) await untilEnd((sink) => server.stream(request, sink, { timeout: askTimeout }));
    return undefined;
  } catch (error) {
    return error instanceof StatusError ? contract.namedAdapters?.(error) : undefined;
  }
}

/** The adapters of a vLLM model in a repository on this machine; undefined if its files do not list them. */
export async function adaptersInRepository(
  repositories: readonly string[],
  { model, version }: Pick<ServedModel, 'model' | 'version'>,
): Promise<readonly string[] | undefined> {
  for (const repository of repositories) {
    const folder = join(repository, model, version);
    const engine = await readObject(join(folder, 'model.json'));
    if (!engine) continue;
    if (!/^true$/i.test(String(engine['enable_lora']))) return [];
    const adapters = await readObject(join(folder, 'multi_lora.json'));
    return adapters && Object.keys(adapters);
  }
  return undefined;
}

async function readObject(file: string): Promise<JsonObject | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return parseJsonObject(text);
}

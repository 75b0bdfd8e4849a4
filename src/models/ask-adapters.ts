import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, parseJsonObject } from '../json-object.ts';
import { untilEnd } from '../kserve/awaited-responses.ts';
import { StatusError } from '../kserve/status.ts';
import type { ServedModel } from './served-model.ts';

const askTimeout = 5_000;

/** Milliseconds for which an answer holds: a model that is loaded again may have others. */
const freshness = { known: 300_000, unknown: 30_000 };

type Asked = Pick<ServedModel, 'model' | 'version' | 'contract' | 'group'>;

/**
 * Asks a server for the adapters of a model the way Triton's vLLM backend tells them: by a request for one that cannot
 * be, whose refusal names the others. It is refused before the engine sees it. Asked once, and again when that is long ago.
 */
export function adapterAsker(model: Asked): () => Promise<readonly string[] | undefined> {
  let answer: Promise<readonly string[] | undefined> | undefined;
  let until = 0;
  const ask = async (): Promise<readonly string[] | undefined> => {
    const names = await askAdapters(model);
    until = Date.now() + (names ? freshness.known : freshness.unknown);
    return names;
  };
  return () => {
    if (!answer || Date.now() > until) {
      until = Number.POSITIVE_INFINITY;
      answer = ask();
    }
    return answer;
  };
}

async function askAdapters({ model, version, contract, group }: Asked): Promise<readonly string[] | undefined> {
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

/** The adapters of a vLLM model that stands in a repository on this machine; undefined where its files do not say. */
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

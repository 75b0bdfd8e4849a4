import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isFile } from '../file-kind.ts';
import { type JsonObject, parseJsonObject } from '../json-object.ts';
import {
  argumentsFile,
  checksHealth,
  guideLibraryAdvice,
  healthCheckAdvice,
  namesGuideLibrary,
  readVllmArguments,
  type UnreadArguments,
} from '../vllm-arguments.ts';
import type { Finding } from './finding.ts';
import type { AvailableModel } from './repository-model.ts';

interface VllmKind {
  /** Whether it is Conch's own vLLM model, which loads adapters without multi_lora.json too. */
  readonly isOwn: boolean;
}

/** Checks that a vLLM model has the files that its backend needs, and the settings that keep its engine alive. */
export async function checkVllm(
  { folder, versions, config, source }: AvailableModel,
  { isOwn }: VllmKind,
): Promise<readonly Finding[]> {
  const found = await Promise.all(versions.map((version) => checkVersion(join(folder, String(version)), { isOwn })));
  const hasHealthCheck = checksHealth(config.parameters);
  return [
    ...(hasHealthCheck ? [] : [{ severity: 'warning', file: source.configFile, text: healthCheckAdvice } as const]),
    ...found.flat(),
  ];
}

async function checkVersion(folder: string, kind: VllmKind): Promise<readonly Finding[]> {
  const file = join(folder, argumentsFile);
  const read = await readVllmArguments(file);
  if ('unread' in read) return [{ severity: 'error', file, text: problems[read.unread] }];
  const { engine } = read;
  if (typeof engine['model'] !== 'string' || engine['model'] === '') {
    return [
      {
        severity: 'error',
        file,
        text: '"model" is missing: set it to a folder or the name of a model on the Hugging Face hub.',
      },
    ];
  }
  const unguarded: Finding[] = namesGuideLibrary(engine)
    ? []
    : [{ severity: 'warning', file, text: guideLibraryAdvice }];
  return [...unguarded, ...(await checkAdapters(folder, engine, kind))];
}

const problems: Readonly<Record<UnreadArguments, string>> = {
  missing: 'this file is missing: it must contain the engine arguments of the vLLM model.',
  'not a file': 'it is not a file.',
  'too large': 'it is too large for engine arguments.',
  unreadable: 'it cannot be read.',
  'not JSON': 'it is not a JSON object.',
};

async function checkAdapters(folder: string, engine: JsonObject, { isOwn }: VllmKind): Promise<readonly Finding[]> {
  if (!/^true$/i.test(String(engine['enable_lora']))) return [];
  const file = join(folder, 'multi_lora.json');
  if (!(await isFile(file))) {
    if (isOwn) return [];
    const text = 'this file is missing: it must list the adapters, because enable_lora is true.';
    return [{ severity: 'error', file, text }];
  }
  const names = parseJsonObject(await readFile(file, 'utf8').catch(() => ''));
  return names ? [] : [{ severity: 'error', file, text: 'it is not a JSON object.' }];
}

import { join } from 'node:path';
import type { ModelConfig } from '../kserve/messages.ts';
import { readBounded } from '../read-bounded.ts';
import { isFolderName } from './vllm-folder.ts';

/** Far more than the labels of any model take. */
const mostBytes = 2 ** 20;

/**
 * The names of a model's classes, one in each line of the file that an output's `label_filename` names. Undefined where
 * no output has labels, or none of the repositories is on this machine.
 */
export async function readLabels(
  { name, output }: Pick<ModelConfig, 'name' | 'output'>,
  repositories: readonly string[],
): Promise<readonly string[] | undefined> {
  const file = output.find(({ label_filename: named }) => named)?.label_filename;
  if (file === undefined || !isFolderName(name) || !isFolderName(file)) return undefined;
  for (const repository of repositories) {
    const read = await readBounded(join(repository, name, file), mostBytes);
    if ('text' in read) return read.text.trimEnd().split(/\r?\n/);
  }
  return undefined;
}

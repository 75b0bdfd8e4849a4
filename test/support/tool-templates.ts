import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type ChatTemplate, jinjaTemplate } from '../../src/prompt/chat-template.ts';
import { pythonProgram } from './environment.ts';

const run = promisify(execFile);

/** A package from a registry, with the SHA-256 of its archive. */
interface Package {
  readonly name: string;
  readonly version: string;
  readonly archive: string;
  readonly sha256: string;
}

/** 230 KB: the templates of the models in Ollama's library, by the names that they have there. */
const OLLAMA_UTILS: Package = {
  name: '@huggingface/ollama-utils',
  version: '0.0.18',
  archive: 'huggingface-ollama-utils-0.0.18.tgz',
  sha256: '3d8beba35ea5d634970e29090ab45234e54a3db8d9263cf72e0031c1cc44f8d5',
};

/** 950 KB: the templates of the models that TRL trains, a file each. */
const TRL: Package = {
  name: 'trl',
  version: '1.16.0',
  archive: 'trl-1.16.0-py3-none-any.whl',
  sha256: 'c4726e139dd40e1a41661511c639c8a68416782b2e3e8c0befebd77bb7ba0396',
};

/** A template that a package carries. */
export interface PackagedTemplate {
  readonly package: 'ollama-utils' | 'trl';
  readonly template: string;
  /** What ends an answer of the model. */
  readonly endOfTurn: string;
}

/** The chat template of a package; the package is fetched into the cache of the tests once. */
export async function packagedTemplate(expected: PackagedTemplate): Promise<ChatTemplate> {
  const isOllama = expected.package === 'ollama-utils';
  const folder = await (isOllama ? fetched(OLLAMA_UTILS, npmPack) : fetched(TRL, pipDownload));
  const text = await (isOllama ? ollamaTemplate : trlTemplate)(folder, expected.template);
  const specialTokens = { bos_token: '', eos_token: expected.endOfTurn };
  return jinjaTemplate({
    source: `${expected.template} in ${expected.package}`,
    templates: { default: text },
    specialTokens,
  });
}

async function ollamaTemplate(folder: string, model: string): Promise<string> {
  const file = join(folder, 'src', 'chat-template-automap.ts');
  const { OLLAMA_CHAT_TEMPLATE_MAPPING: all } = (await import(pathToFileURL(file).href)) as {
    OLLAMA_CHAT_TEMPLATE_MAPPING: readonly { readonly model: string; readonly gguf: string }[];
  };
  const found = all.find((entry) => entry.model === `library/${model}`);
  if (!found) throw new Error(`${OLLAMA_UTILS.name} has no template of ${model}.`);
  return found.gguf;
}

function trlTemplate(folder: string, name: string): Promise<string> {
  return readFile(join(folder, 'trl', 'chat_templates', `${name}.jinja`), 'utf8');
}

/** The folder in which a package is unpacked; made in a temporary place, so that an interrupted run leaves nothing half-done. */
async function fetched(
  expected: Package,
  fetch: (expected: Package, folder: string) => Promise<void>,
): Promise<string> {
  const cache = process.env['CONCH_TEST_CACHE'];
  if (cache === undefined) throw new Error('CONCH_TEST_CACHE is not set: run the tests with npm test');
  const folder = join(cache, `templates-${expected.sha256.slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const temporary = await mkdtemp(join(cache, '.making-'));
  try {
    await fetch(expected, temporary);
    await rename(temporary, folder).catch((error: unknown) => {
      // Another run may have been quicker.
      if (!existsSync(folder)) throw error;
    });
    return folder;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function npmPack(expected: Package, folder: string): Promise<void> {
  const spec = `${expected.name}@${expected.version}`;
  await run('npm', ['pack', '--silent', '--pack-destination', folder, spec], { cwd: folder });
  await checkSum(expected, folder);
  await run('tar', ['-xzf', join(folder, expected.archive), '-C', folder, '--strip-components=1', 'package/src']);
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
}

async function pipDownload(expected: Package, folder: string): Promise<void> {
  const options = [
    '--no-deps',
    '--no-input',
    '--only-binary=:all:',
    '--disable-pip-version-check',
    '--progress-bar=off',
  ];
  // The templates are read, none of it runs: any Python may fetch it.
  const python = ['--python-version=3.12', '-d', folder];
  await run(pythonProgram(), ['-m', 'pip', 'download', ...options, ...python, `${expected.name}==${expected.version}`]);
  await checkSum(expected, folder);
  await run(pythonProgram(), ['-m', 'zipfile', '-e', join(folder, expected.archive), folder]);
}

async function checkSum({ archive, sha256 }: Package, folder: string): Promise<void> {
  const found = createHash('sha256')
    .update(await readFile(join(folder, archive)))
    .digest('hex');
  if (found !== sha256) throw new Error(`${archive} has the SHA-256 ${found} instead of ${sha256}.`);
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cached, cacheFolder } from './cache.mjs';
import { progress } from './progress.mjs';
import { findPython, makeEnvironment } from './python.mjs';
import { capture, inRoot, StepError } from './steps.mjs';

const REQUIREMENTS = 'scripts/vllm-requirements.txt';
const PREPARE = inRoot('test/support/real_vllm/prepare_environment.py');
const CONVERT = inRoot('test/support/real_vllm/convert_gguf.py');
const VERSIONS = ['3.11', '3.12'];

/**
 * Whether the options of vitest run the tests of test/vllm.
 * @param {string[]} options
 */
export function wantsVllm(options) {
  if (!options.some((option, at) => option === '--project=vllm' || isProject(options, at))) return false;
  const files = options.filter((option, at) => !option.startsWith('-') && options[at - 1] !== '--project');
  return files.length === 0 || files.some((file) => file.includes('test/vllm') || 'test/vllm/'.startsWith(file));
}

/**
 * @param {string[]} options
 * @param {number} at
 */
function isProject(options, at) {
  return options[at] === '--project' && options[at + 1] === 'vllm';
}

/**
 * Fetches vLLM's CPU build, and writes the default model as the folder that vLLM reads.
 * @returns {Promise<Record<string, string>>}
 */
export async function prepareVllm() {
  const python = await findPython();
  if (!VERSIONS.includes(python.version))
    throw new StepError(`The tests of vLLM need Python ${VERSIONS.join(' or ')}; python3 is ${python.version}.`);
  const requirements = readFileSync(inRoot(REQUIREMENTS), 'utf8');
  const key = hash(python.program, requirements, readFileSync(PREPARE, 'utf8'));
  const environment = await cached(`vllm-${python.version}-${key}`, async (folder) => {
    await makeEnvironment(python, { folder, requirements: REQUIREMENTS, title: 'vLLM for the tests (7 GB on disk)' });
    await capture(join(folder, 'bin', 'python'), [PREPARE], { what: 'Preparing the environment of vLLM' });
  });
  const interpreter = join(environment, 'bin', 'python');
  return { CONCH_TEST_VLLM_PYTHON: interpreter, CONCH_TEST_VLLM_MODEL: await model(interpreter) };
}

/** @param {string} interpreter */
async function model(interpreter) {
  const { defaultModel } = await import(inRoot('dist/servers/embedded/install/default-model.js'));
  const key = hash(defaultModel.sha256, readFileSync(CONVERT, 'utf8'));
  return cached(`${defaultModel.name}-${key}`, async (folder) => {
    const bar = progress('The default model for vLLM (540 MB on disk)', 1);
    const source = join(cacheFolder(), 'models', defaultModel.file);
    await capture(interpreter, [CONVERT, source, folder], { what: 'Converting the default model' });
    bar.step();
    bar.end();
  });
}

/** @param {string[]} texts */
function hash(...texts) {
  return createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 12);
}

import { join } from 'node:path';
import { cacheFolder } from './cache.mjs';
import { findPython, pythonEnvironment } from './python.mjs';
import { StepError } from './steps.mjs';
import { tokenizers } from './tokenizers.mjs';
import { tritonserver } from './tritonserver.mjs';

/**
 * Fetches what only the tests need, and says where it is.
 * @returns {Promise<Record<string, string>>}
 */
export async function prepareTestCache() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new StepError('The tests run a real tritonserver, which exists for Linux on x86-64 only.');
  }
  const python = await findPython();
  const environment = await pythonEnvironment(python);
  const interpreter = join(environment, 'bin', 'python');
  return {
    CONCH_TEST_CACHE: join(cacheFolder(), 'test'),
    CONCH_TEST_PYTHON: interpreter,
    CONCH_TEST_PYTHON_LIBRARIES: python.libraries,
    CONCH_TEST_TRITON: await tritonserver(interpreter, python.version),
    CONCH_TEST_TOKENIZERS: await tokenizers(),
  };
}

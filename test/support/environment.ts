import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where `npm test` has put what the tests need. */
function prepared(variable: string): string {
  const value = process.env[variable];
  if (value === undefined) throw new Error(`${variable} is not set: run the tests with npm test`);
  return value;
}

/** A path inside the checkout. */
export function inRoot(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

/** The Python of the virtual environment with tritonclient, openai, transformers and tokenizers. */
export function pythonProgram(): string {
  return prepared('CONCH_TEST_PYTHON');
}

/** The folder with the shared library of that Python. */
export function pythonLibraries(): string {
  return prepared('CONCH_TEST_PYTHON_LIBRARIES');
}

/** The unpacked wheel with tritonserver. */
export function tritonFolder(): string {
  return prepared('CONCH_TEST_TRITON');
}

export type TokenizerName = 'llama2' | 'llama3' | 'llama3_2' | 'qwen3' | 'gemma3' | 'mistral_nemo' | 'deepseek_v3';

/** The folder that holds one folder per tokenizer. */
export function tokenizersFolder(): string {
  return prepared('CONCH_TEST_TOKENIZERS');
}

/** A folder with tokenizer.json and tokenizer_config.json. */
export function tokenizerFolder(name: TokenizerName): string {
  return join(tokenizersFolder(), name);
}

/** The Python of the virtual environment with the CPU build of vLLM; only for the tests of test/vllm. */
export function vllmPython(): string {
  return prepared('CONCH_TEST_VLLM_PYTHON');
}

/** The default model as vLLM reads it: safetensors, tokenizer.json and their settings. */
export function vllmModelFolder(): string {
  return prepared('CONCH_TEST_VLLM_MODEL');
}

import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultCommand } from '../../config/command.ts';
import { loadSettings, readCommandLine } from '../../config/load.ts';
import { SettingsError } from '../../config/settings-error.ts';
import { repoInitCommand } from './init.ts';

async function problemOf(...argv: string[]): Promise<string> {
  const silent = () => undefined;
  const stop = new AbortController().signal;
  const terminal = {
    out: silent,
    err: silent,
    write: silent,
    progress: silent,
    version: '0',
    environment: {},
    isInteractive: false,
    isColoured: false,
    streams: () => ({ input: process.stdin, output: process.stdout }),
    stop,
    settingsNow: () => ({ settings: loadSettings(), text: undefined }),
    saveCompiledCode: () => undefined,
    onHangUp: silent,
  };
  try {
    const invocation = readCommandLine({ argv, commands: [defaultCommand, repoInitCommand.definition] });
    if (invocation.action === 'run') await repoInitCommand.run(invocation, terminal);
    return 'none';
  } catch (error) {
    if (error instanceof SettingsError) return error.problems.join('\n');
    throw error;
  }
}

const engine = ['--engine-dir', '/e', '--tokenizer-dir', '/t'];

describe('conch repo init refuses', () => {
  it.each([
    [[], 'conch repo init needs the kind and name of the model. Write conch repo init vllm|trtllm|llamacpp NAME.'],
    [['vlm', 'm'], '"vlm" is not a kind of model. Use one of vllm, trtllm, llamacpp. Did you mean vllm?'],
    [['vllm', 'a', 'b'], 'conch repo init takes one name. Remove b.'],
    [['vllm', 'm'], 'conch repo init vllm needs --model: a name on the Hugging Face hub, or a folder.'],
    [
      ['vllm', '../m', '--model', 'a'],
      '"../m" is not a valid model name: use letters, digits, - and _, with dots only inside the name.',
    ],
    [['vllm', 'm', '--model', 'a', '--engine-dir', '/e'], '--engine-dir is for trtllm, not for vllm. Remove it.'],
    [
      ['vllm', 'm', '--model', 'a', '--lora-root', '/adapters'],
      "--lora-root needs --conch: the model of Triton's vLLM backend loads no adapters by path.",
    ],
    [['trtllm', 'm', '--conch', ...engine], '--conch is for vllm, not for trtllm. Remove it.'],
    [['vllm', 'm', '--model', 'a', '--lora', 'x'], '--lora must be NAME=VALUE, not "x".'],
    [['trtllm', 'm'], 'conch repo init trtllm needs --engine-dir and --tokenizer-dir, as tritonserver will see them.'],
    [
      [
        'trtllm',
        'm',
        '--engine-dir',
        '/e',
        '--tokenizer-dir',
        '/t',
        '--set',
        'max_beam_with=2',
        '--set',
        'decoupled_mode=yes',
      ],
      `max_beam_with is not a value of TensorRT-LLM's templates. Did you mean max_beam_width?\ndecoupled_mode must be one of true, false, not "yes".`,
    ],
    [
      ['trtllm', 'preprocessing', '--engine-dir', '/e', '--tokenizer-dir', '/t'],
      'preprocessing is the name of a model inside the ensemble. Choose another name.',
    ],
    [
      ['llamacpp', 'm'],
      'conch repo init llamacpp needs a GGUF file: --model FILE, or --model-path FILE to leave it where it is.',
    ],
    [['llamacpp', 'm', '--model', '/nowhere/a.gguf'], '--model: /nowhere/a.gguf does not exist.'],
  ])('%j', async (words, problem) => {
    const repository = join(tmpdir(), `conch-never-written-${process.pid}`);
    expect(await problemOf('repo', 'init', ...words, '--repository', repository)).toBe(problem);
    expect(existsSync(repository)).toBe(false);
  });
});

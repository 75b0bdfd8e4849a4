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

describe('conch repo init refuses', () => {
  it.each([
    [[], 'conch repo init needs the kind and the name of the model: vllm|trtllm|llamacpp NAME.'],
    [['vlm', 'm'], '"vlm" is not a kind of model: vllm, trtllm, llamacpp. Did you mean vllm?'],
    [['vllm', 'a', 'b'], 'conch repo init takes one name: b is too much.'],
    [['vllm', 'm'], 'conch repo init vllm needs --model: a name on the Hugging Face hub, or a folder.'],
    [
      ['vllm', '../m', '--model', 'a'],
      '"../m" cannot be the name of a model: use letters, digits, and - _ . behind the first character.',
    ],
    [['vllm', 'm', '--model', 'a', '--engine-dir', '/e'], '--engine-dir is for trtllm, not for vllm.'],
    [['vllm', 'm', '--model', 'a', '--lora', 'x'], '--lora x must be written NAME=VALUE.'],
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
      'max_beam_with is not a value of a TensorRT-LLM repository. Did you mean max_beam_width?\ndecoupled_mode must be one of true, false, not "yes".',
    ],
    [
      ['trtllm', 'preprocessing', '--engine-dir', '/e', '--tokenizer-dir', '/t'],
      'preprocessing is the name of a model inside: choose another.',
    ],
    [
      ['llamacpp', 'm'],
      'conch repo init llamacpp needs a GGUF file: --model FILE, or --model-path FILE to leave it where it is.',
    ],
    [['llamacpp', 'm', '--model', '/nowhere/a.gguf'], '--model: there is no file /nowhere/a.gguf.'],
  ])('%j', async (words, problem) => {
    const repository = join(tmpdir(), `conch-never-written-${process.pid}`);
    expect(await problemOf('repo', 'init', ...words, '--repository', repository)).toBe(problem);
    expect(existsSync(repository)).toBe(false);
  });
});

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repoInitCommand } from '../../src/cli/repo/init.ts';
import { defaultCommand } from '../../src/config/command.ts';
import { loadSettings, readCommandLine } from '../../src/config/load.ts';
import { protocol } from '../../src/kserve/control-codec.ts';
import { checkRepository } from '../../src/repository/check-repository.ts';
import { readModelConfig } from '../../src/repository/pbtxt/model-config.ts';
import { readTextFormat } from '../../src/repository/pbtxt/read-text-format.ts';
import { TextFormatError } from '../../src/repository/pbtxt/text-format-error.ts';
import { inRoot } from '../support/environment.ts';
import { directive, exchange } from '../support/exchange.ts';
import { python } from '../support/python.ts';
import { startTriton, type Triton } from '../support/triton.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'conch-written-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function init(repository: string, ...words: string[]): Promise<void> {
  const argv = ['repo', 'init', ...words, '--repository', join(folder, repository)];
  const invocation = readCommandLine({ argv, commands: [defaultCommand, repoInitCommand.definition] });
  if (invocation.action !== 'run') throw new Error('It does not run.');
  const terminal = {
    out: () => undefined,
    err: () => undefined,
    write: () => undefined,
    version: '0',
    environment: {},
    isInteractive: false,
    isColoured: false,
    streams: () => ({ input: process.stdin, output: process.stdout }),
    progress: () => undefined,
    stop: new AbortController().signal,
    settingsNow: () => ({ settings: loadSettings(), text: undefined }),
    saveCompiledCode: () => undefined,
    onHangUp: () => undefined,
  };
  expect(await repoInitCommand.run(invocation, terminal)).toBe(0);
}

async function verdicts(repository: string): Promise<string[]> {
  const type = protocol().lookupType('inference.ModelConfig');
  const check = readdirSync(join(folder, repository)).map((model) => {
    const text = readFileSync(join(folder, repository, model, 'config.pbtxt'), 'utf8');
    const { message } = readTextFormat(text, { type, file: model });
    return { text, bytes: Buffer.from(type.encode(type.fromObject(message)).finish()).toString('base64') };
  });
  const { stdout } = await python('test/repository/text_format.py', [], { input: JSON.stringify({ check }) });
  return JSON.parse(stdout) as string[];
}

interface ModelState {
  readonly name: string;
  readonly state?: string;
  readonly reason?: string;
}

async function index({ httpPort }: Triton): Promise<ModelState[]> {
  const response = await fetch(`http://127.0.0.1:${httpPort}/v2/repository/index`, { method: 'POST' });
  return (await response.json()) as ModelState[];
}

const engine = ['--engine-dir', '/engines/m', '--tokenizer-dir', '/tokenizers/m'];

it('every configuration that repo init writes is read alike by Google’s reader', async () => {
  writeFileSync(join(folder, 'w.gguf'), 'GGUF');
  await init('all', 'vllm', 'v', '--model', 'm');
  await init(
    'all',
    'llamacpp',
    'l',
    '--model',
    join(folder, 'w.gguf'),
    '--context-length',
    '9',
    '--lora',
    'é="x".gguf'.replace('=', '=/'),
  );
  await init('all', 'trtllm', 't', ...engine);
  expect(await verdicts('all')).toEqual(Array(7).fill('equal'));
});

describe('a vLLM folder', () => {
  let triton: Triton;
  beforeAll(async () => {
    const flags = [
      '--model',
      'toy',
      '--tokenizer',
      'llama3',
      '--max-model-len',
      '4096',
      '--lora',
      'lora_a=/adapters/a',
    ];
    await init('vllm', 'vllm', 'fresh', ...flags);
    triton = await startTriton({ repository: join(folder, 'vllm') });
  });
  afterAll(() => triton.stop());

  it('is served by a real tritonserver, adapter and all', async () => {
    const inputs = { text_input: directive({ answer: 'one two' }), exclude_input_in_output: true };
    const adapted = { ...inputs, sampling_parameters: JSON.stringify({ lora_name: 'lora_a' }) };
    const responses = await exchange(triton.grpcPort, [
      { model: 'fresh', inputs },
      { model: 'fresh', inputs: adapted },
    ]);
    expect(responses.map(({ messages }) => messages[0]?.outputs['text_output']?.values)).toEqual([
      ['one two'],
      ['one two'],
    ]);
  });
});

it("a folder of Conch's own vLLM model that is written again stays one, with its adapters", async () => {
  await init('again', 'vllm', 'm', '--conch', '--model', 'a', '--lora-root', '/adapters');
  const config = () => readFileSync(join(folder, 'again', 'm', 'config.pbtxt'), 'utf8');
  const before = config();
  await init('again', 'vllm', 'm', '--model', 'b', '--force');
  expect(config()).toBe(before);
  await init('again', 'vllm', 'm', '--model', 'b', '--force', '--no-conch');
  expect(config()).toContain('backend: "vllm"');
});

describe("a folder of Conch's own vLLM model", () => {
  let triton: Triton;
  beforeAll(async () => {
    const flags = ['--conch', '--model', 'toy', '--tokenizer', 'qwen3', '--max-model-len', '4096'];
    await init('own', 'vllm', 'own', ...flags, '--lora-root', '/adapters');
    // The imitation of vLLM stands where the container has vLLM.
    const version = join(folder, 'own', 'own', '1');
    cpSync(inRoot('test/support/fake_vllm/vllm'), join(version, 'vllm'), { recursive: true });
    symlinkSync(inRoot('test/support/toy_vllm'), join(version, 'toy_vllm'));
    triton = await startTriton({ repository: join(folder, 'own') });
  });
  afterAll(() => triton.stop());

  it('has nothing to complain about', async () => {
    const { findings } = await checkRepository([join(folder, 'own')]);
    expect(findings).toEqual([]);
  });

  it('is served by a real tritonserver', async () => {
    const inputs = { prompt: directive({ answer: 'one two' }), sampling_params: '{}', stream: false };
    const [response] = await exchange(triton.grpcPort, [{ model: 'own', inputs }]);
    expect(response?.messages[0]?.outputs['text']?.values).toEqual(['one two']);
    const config = await fetch(`http://127.0.0.1:${triton.httpPort}/v2/models/own/config`);
    expect(await config.json()).toMatchObject({
      backend: 'python',
      parameters: {
        ENABLE_VLLM_HEALTH_CHECK: { string_value: 'true' },
        LORA_ROOT: { string_value: '/adapters' },
      },
    });
    const settings = JSON.parse(readFileSync(join(folder, 'own', 'own', '1', 'model.json'), 'utf8')) as object;
    expect(settings).toEqual({
      model: 'toy',
      enable_lora: true,
      max_loras: 4,
      structured_outputs_config: { backend: 'xgrammar', disable_any_whitespace: true },
      tokenizer: 'qwen3',
      max_model_len: 4096,
    });
  });
});

/** A Python model that starts with any configuration and answers nothing. */
const idle = `class TritonPythonModel:
    def execute(self, requests):
        return [None for _ in requests]
`;

describe('a TensorRT-LLM repository', () => {
  it.each([
    ['decoupled', []],
    [
      'not decoupled',
      ['--no-decoupled', '--set', 'logits_datatype=TYPE_FP16', '--set', 'prompt_embedding_table_data_type=TYPE_BF16'],
    ],
  ])(
    '%s fits together in the eyes of a real tritonserver',
    async (name, flags) => {
      // The Python backend starts no model whose path has a space in it.
      const repository = `trtllm-${name.replace(' ', '-')}`;
      const few = ['--set', 'preprocessing_instance_count=1', '--set', 'bls_instance_count=1', '--max-batch-size', '4'];
      await init(repository, 'trtllm', 'llama3', ...engine, '--triton-backend', 'python', ...few, ...flags);
      for (const model of ['preprocessing', 'postprocessing', 'tensorrt_llm', 'tensorrt_llm_bls']) {
        writeFileSync(join(folder, repository, model, '1', 'model.py'), idle);
      }
      const { findings } = await checkRepository([join(folder, repository)]);
      expect(findings).toEqual([]);
      const triton = await startTriton({ repository: join(folder, repository) });
      try {
        const models = (await index(triton)).toSorted((left, right) => (left.name < right.name ? -1 : 1));
        const names = ['llama3', 'postprocessing', 'preprocessing', 'tensorrt_llm', 'tensorrt_llm_bls'];
        expect(models.map(({ name: model, state }) => [model, state])).toEqual(names.map((model) => [model, 'READY']));
        const config = (await (
          await fetch(`http://127.0.0.1:${triton.httpPort}/v2/models/llama3/config`)
        ).json()) as object;
        expect(config).toMatchObject({
          model_transaction_policy: { decoupled: name === 'decoupled' },
          max_batch_size: 4,
        });
      } finally {
        await triton.stop();
      }
    },
    90_000,
  );
});

it('takes and refuses the forms of a config.pbtxt that tritonserver takes and refuses', async () => {
  const forms = [
    'max_batch_size: 010',
    'max_batch_size: 0x1F',
    'max_batch_size: 1.0',
    'max_batch_size: +3',
    'max_batch_size: 08',
    'max_batch_size: 2147483648',
    'max_batch_size: 1_0',
    'max_batch_size: 3f',
    'max_batch_size:1backend: "x"',
    'input [ ]',
    'input: []',
    'input [ { name: "a" data_type: TYPE_INT8 dims: [ 1, ] } ]',
    'input [ { name: "a" data_type: TYPE_INT8 dims: 1 }, ]',
    'input [ { name: "a" data_type: TYPE_INT8 dims: 1 } { name: "b" data_type: TYPE_INT8 dims: 1 } ]',
    'input < name: "a" data_type: 8, dims: [ 1 ]; >',
    'input < name: "a" }',
    'input { name: "a" data_type: TYPE_INT8 dims: - 1 optional: t }',
    'input { name: "a" data_type: TYPE_INT8 dims: [ 1 2 ] }',
    'input { name: "a" data_type: TYPE_INT8 dims: 1 optional: TRUE }',
    'input { name: "a" data_type: TYPE_INT8 dims: 1 optional: True }',
    'input { name: "a" data_type: TYPE_INT8 dims: 1 optional: 01 }',
    'input { name: "a" data_type: TYPE_INT8 dims: 1 optional: 2 }',
    'input { name: "a" data_type: "TYPE_INT8" dims: 1 }',
    'input { name: "a" data_type: type_int8 dims: 1 }',
    'parameters { key: "a" } parameters { key: "a" value { string_value: "\\x41\\101\\u00e9\\U0001F600\\?" } }',
    'parameters { key: "a" value { string_value: "\\q" } }',
    'parameters { key: "a" value { string_value: "\\x" } }',
    'parameters { key: "a" value { string_value: "a\nb" } }',
    'parameters { key: "a" value { string_value: "a\\\nb" } }',
    "parameters { key: 'a' value { string_value: 'b' \"c\" } },",
    'parameters: "a"',
    'metric_tags { key: "a" key: "b" }',
    'version_policy { latest { } all { } }',
    'version_policy { all { } all { } }',
    'version_policy [ { all { } } ]',
    'version_policy: < all: < > >',
    'backend: "x"',
    'max_batch_size 1',
    'foo: 1',
    'Max_batch_size: 1',
    '5: 1',
    '// comment',
    '/* comment */',
    '# comment',
    ';',
    'max_batch_size: 1;;',
    'max_batch_size: 1;',
    '\0',
    '}',
    'sequence_batching { control_input { name: "a" control { fp32_false_true: [ 0.5f, 1e3 ] } } }',
    'sequence_batching { control_input { name: "a" control { fp32_false_true: [ 0x10 ] } } }',
    'sequence_batching { control_input { name: "a" control { fp32_false_true: [ 010 ] } } }',
    'sequence_batching { control_input { name: "a" control { fp32_false_true: [ -inf, NAN, - 1.5, 1F, .5, 5. ] } } }',
  ];
  const texts = forms.map((form) => `backend: "none"\n${form}\n`);
  for (const [at, text] of texts.entries()) {
    mkdirSync(join(folder, 'forms', `m${at}`, '1'), { recursive: true });
    writeFileSync(join(folder, 'forms', `m${at}`, 'config.pbtxt'), text);
  }
  const extraArguments = ['--exit-on-error=false', '--disable-auto-complete-config', '--strict-readiness=false'];
  const triton = await startTriton({ repository: join(folder, 'forms'), extraArguments });
  const log = triton.log();
  await triton.stop();
  const theirs = forms.filter((_, at) =>
    log.includes(`failed to read text proto from ${join(folder, 'forms', `m${at}`)}/`),
  );
  expect(texts.flatMap((text, at) => (refuses(text) ? [forms[at]] : []))).toEqual(theirs);
  expect(theirs.length).toBeGreaterThan(25);
});

function refuses(text: string): boolean {
  try {
    readModelConfig(text, 'config.pbtxt');
    return false;
  } catch (error) {
    if (error instanceof TextFormatError) return true;
    throw error;
  }
}

import { lstatSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultCommand } from '../config/command.ts';
import { helpText } from '../config/help.ts';
import { loadSettings, readCommandLine } from '../config/load.ts';
import { SettingsError } from '../config/settings-error.ts';
import { repoCheckCommand } from './repo/check.ts';
import { repoFillCommand } from './repo/fill.ts';
import { repoInitCommand } from './repo/init.ts';

const commands = [repoInitCommand, repoFillCommand, repoCheckCommand];
const definitions = [defaultCommand, ...commands.map(({ definition }) => definition)] as const;

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'conch-repo-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (...path: string[]) => join(folder, ...path);
const text = (...path: string[]) => readFileSync(at(...path), 'utf8');

function write(path: string, content: string): string {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content);
  return at(path);
}

async function conch(...argv: string[]) {
  let out = '';
  let err = '';
  const terminal = {
    out: (line: string) => (out += `${line.replaceAll(folder, 'HERE')}\n`),
    write: () => undefined,
    err: (line: string) => (err += `${line.replaceAll(folder, 'HERE')}\n`),
    version: '0',
    isInteractive: false,
    isColoured: false,
    streams: () => ({ input: process.stdin, output: process.stdout }),
    environment: {},
    progress: () => undefined,
    stop: new AbortController().signal,
    settingsNow: () => ({ settings: loadSettings(), text: undefined }),
    saveCompiledCode: () => undefined,
    onHangUp: () => undefined,
  };
  try {
    const invocation = readCommandLine({ argv, commands: [...definitions] });
    if (invocation.action !== 'run') throw new Error('It does not run.');
    const command = commands.find(({ definition }) => definition.name === invocation.command);
    const code = await command?.run(invocation, terminal);
    return { code, out, err };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { code: error.exitCode, out, err: error.problems.join('\n').replaceAll(folder, 'HERE') };
  }
}

describe('conch repo init vllm', () => {
  it('writes the configuration, the engine arguments and the adapters', async () => {
    const flags = ['--model', 'org/m', '--max-model-len', '4096', '--gpu-memory-utilization', '0.5', '--dtype', 'half'];
    const more = [
      '--tensor-parallel-size',
      '2',
      '--set',
      'enforce_eager=true',
      '--set',
      'revision=v1',
      '--lora',
      'a=/l/a',
    ];
    const { code, out } = await conch('repo', 'init', 'vllm', 'm', '--repository', folder, ...flags, ...more);
    expect(code).toBe(0);
    expect(out).toContain('HERE/m/1/multi_lora.json\nServe it with: conch --model-repository HERE');
    expect(text('m', 'config.pbtxt')).toBe(
      'backend: "vllm"\ninstance_group [\n  {\n    kind: KIND_MODEL\n    count: 1\n  }\n]\n' +
        'parameters {\n  key: "ENABLE_VLLM_HEALTH_CHECK"\n  value { string_value: "true" }\n}\n',
    );
    expect(JSON.parse(text('m', '1', 'model.json'))).toEqual({
      model: 'org/m',
      max_model_len: 4096,
      gpu_memory_utilization: 0.5,
      dtype: 'half',
      tensor_parallel_size: 2,
      enforce_eager: true,
      revision: 'v1',
      enable_lora: true,
      max_loras: 1,
      structured_outputs_config: { backend: 'xgrammar', disable_any_whitespace: true },
    });
    expect(JSON.parse(text('m', '1', 'multi_lora.json'))).toEqual({ a: '/l/a' });
  });

  it('leaves the safeguards out where the flags say so, or files that are written again', async () => {
    const init = ['repo', 'init', 'vllm', 'm', '--repository', folder, '--model', 'a'];
    const written = () => [JSON.parse(text('m', '1', 'model.json')), text('m', 'config.pbtxt').includes('HEALTH')];
    await conch(...init, '--set', 'structured_outputs_config={"backend":"guidance"}', '--no-health-check');
    expect(written()).toEqual([{ model: 'a', structured_outputs_config: { backend: 'guidance' } }, false]);
    write('m/config.pbtxt', 'parameters { key: "ENABLE_VLLM_HEALTH_CHECK" value { string_value: "false" } }');
    await conch(...init, '--force');
    expect(written()).toEqual([{ model: 'a', structured_outputs_config: { backend: 'guidance' } }, false]);
    await conch(...init, '--force', '--set', 'structured_outputs_config=null', '--health-check');
    expect(written()).toEqual([{ model: 'a' }, true]);
    await conch(...init, '--force', '--set', 'guided_decoding_backend=xgrammar');
    expect(written()).toEqual([{ model: 'a', guided_decoding_backend: 'xgrammar' }, true]);
    write('m/1/model.json', '{');
    write('m/config.pbtxt', '{');
    await conch(...init, '--force');
    const safe = { backend: 'xgrammar', disable_any_whitespace: true };
    expect(written()).toEqual([{ model: 'a', structured_outputs_config: safe }, true]);
  });

  it('overwrites nothing without --force, and nothing at all with --dry-run', async () => {
    const init = ['repo', 'init', 'vllm', 'm', '--repository', folder];
    const dry = await conch(...init, '--model', 'a', '--dry-run');
    expect(dry.out).toContain('--- HERE/m/1/model.json\n{\n  "model": "a",\n  "structured_outputs_config"');
    expect(() => lstatSync(at('m'))).toThrow('ENOENT');
    await conch(...init, '--model', 'a');
    expect(await conch(...init, '--model', 'b')).toMatchObject({
      code: 2,
      err: 'HERE/m already exists. Set --force to overwrite its files.',
    });
    expect(text('m', '1', 'model.json')).toContain('"a"');
    expect((await conch(...init, '--model', 'b', '--force')).code).toBe(0);
    expect(text('m', '1', 'model.json')).toContain('"b"');
  });
});

describe('conch repo init llamacpp', () => {
  it.each([
    ['a link', [], (path: string) => readlinkSync(path)],
    ['a copy', ['--copy'], (path: string) => (lstatSync(path).isSymbolicLink() ? '' : join(folder, 'w.gguf'))],
  ])('puts %s of the weights into the model', async (_what, flags, source) => {
    const file = write('w.gguf', 'GGUFrest');
    const words = [
      'repo',
      'init',
      'llamacpp',
      'm',
      '--repository',
      at('r'),
      '--model',
      file,
      '--context-length',
      '512',
    ];
    expect(await conch(...words, '--sequences', '2', ...flags)).toMatchObject({ code: 0, err: '' });
    expect(source(at('r', 'm', '1', 'model.gguf'))).toBe(file);
    expect(text('r', 'm', '1', 'model.gguf')).toBe('GGUFrest');
    expect(text('r', 'm', 'config.pbtxt')).toContain('key: "context_length"\n  value { string_value: "512" }');
    expect(await conch('repo', 'check', at('r'))).toMatchObject({
      code: 0,
      out: expect.stringContaining('embedded') as string,
    });
  });

  it('writes the path of weights that stay where they are, even if they are not here', async () => {
    const words = ['repo', 'init', 'llamacpp', 'm', '--repository', at('r'), '--model-path', '/nowhere/w.gguf'];
    const { code, err } = await conch(...words, '--lora', 'x=/nowhere/x.gguf');
    expect(code).toBe(0);
    expect(err).toBe('--model-path: /nowhere/w.gguf does not exist. Conch cannot serve the model until then.\n');
    expect(text('r', 'm', 'config.pbtxt')).toContain('value { string_value: "/nowhere/w.gguf" }');
    expect(text('r', 'm', 'config.pbtxt')).toContain('value { string_value: "x=/nowhere/x.gguf" }');
  });
});

describe('conch repo init trtllm', () => {
  const required = ['--engine-dir', '/e', '--tokenizer-dir', '/t'];

  it('writes five models, names the files of NVIDIA that are missing, and check sees them missing too', async () => {
    const { code, err } = await conch('repo', 'init', 'trtllm', 'llama3', '--repository', folder, ...required);
    expect(code).toBe(0);
    expect(err).toContain('These models do not start yet');
    expect(err).toContain('HERE/tensorrt_llm_bls/1/lib/triton_decoder.py\n');
    expect(err).not.toContain('tensorrt_llm/1/model.py');
    expect(text('llama3', 'config.pbtxt')).toContain('name: "llama3"\nplatform: "ensemble"\nmax_batch_size: 8\n');
    const check = await conch('repo', 'check', folder);
    expect(check.code).toBe(1);
    expect(check.out.match(/error: .*/g)).toEqual(
      Array(3).fill('error: this file is missing: the code of a Python model.'),
    );
    expect(check.out).not.toContain('${');
  });

  it('copies those files from a folder that has them', async () => {
    for (const path of ['preprocessing/1/model.py', 'postprocessing/1/model.py', 'tensorrt_llm/1/model.py'])
      write(`n/${path}`, '#');
    const bls = ['model.py', 'lib/decode.py', 'lib/triton_decoder.py'];
    for (const path of bls) write(`n/tensorrt_llm_bls/1/${path}`, '#');
    const flags = ['--python-from', at('n'), '--triton-backend', 'python', '--no-decoupled', '--max-batch-size', '4'];
    const set = ['--set', 'logits_datatype=TYPE_FP16', '--set', 'prompt_embedding_table_data_type=TYPE_BF16'];
    const init = await conch(
      'repo',
      'init',
      'trtllm',
      'ensemble',
      '--repository',
      at('r'),
      ...required,
      ...flags,
      ...set,
    );
    expect(init).toMatchObject({ code: 0, err: '' });
    expect(await conch('repo', 'check', at('r'))).toEqual({
      code: 0,
      err: '',
      out: `MODEL             BACKEND   VERSIONS  RUNS ON       STATE
ensemble          ensemble  1         tritonserver  OK
postprocessing    python    1         tritonserver  OK
preprocessing     python    1         tritonserver  OK
tensorrt_llm      python    1         tritonserver  OK
tensorrt_llm_bls  python    1         tritonserver  OK

5 models, 0 errors, 0 warnings.
`,
    });
    expect(text('r', 'tensorrt_llm', 'config.pbtxt')).toContain('model_transaction_policy { decoupled: false }');
  });
});

describe('conch repo fill', () => {
  const template =
    'name: "a"\nmax_batch_size: ${size}\nparameters {\n  key: "max_queue_size"\n  value { string_value: "${opt}" }\n}\n';

  it('prints the filled text, or writes it', async () => {
    const file = write('config.pbtxt', template);
    const filled = template.replace('${size}', '4').replace('${opt}', 'x,y');
    expect(await conch('repo', 'fill', file, 'size:4,opt:x\\,y')).toEqual({ code: 0, out: filled, err: '' });
    expect(text('config.pbtxt')).toBe(template);
    await conch('repo', 'fill', file, 'size:4,opt:x\\,y', '-o', at('out.pbtxt'));
    expect(text('out.pbtxt')).toBe(filled);
    await conch('repo', 'fill', '--in_place', file, 'size:4,opt:x\\,y');
    expect(text('config.pbtxt')).toBe(filled);
  });

  it('warns of what is left, and with --strict writes nothing', async () => {
    const file = write('config.pbtxt', template);
    const warnings =
      'conch: HERE/config.pbtxt:2:17: ${size} is left unfilled: the file is not valid until you fill it.\n' +
      'conch: HERE/config.pbtxt:5:26: ${opt} is left unfilled: TensorRT-LLM treats it as not set.\n';
    expect(await conch('repo', 'fill', '-i', file, '--strict')).toMatchObject({ code: 1, err: warnings });
    expect(await conch('repo', 'fill', '-i', file)).toMatchObject({ code: 0, err: warnings });
  });

  it('takes a name that was filled before, and no other that is not there', async () => {
    const file = write('config.pbtxt', template);
    const again = await conch('repo', 'fill', file, 'size:4,opt:,max_queue_size:3');
    expect(again).toMatchObject({
      code: 0,
      err: expect.stringContaining('has no ${max_queue_size}: it is already filled') as string,
    });
    expect(await conch('repo', 'fill', '-i', file, 'sise:4')).toMatchObject({
      code: 2,
      err: 'HERE/config.pbtxt has no ${sise}. Did you mean size?',
    });
    expect(text('config.pbtxt')).toBe(template);
  });

  it.each([
    [['x'], '"x" must have the format name:value.'],
    [['-i', '-o', 'y', 'size:1'], '-i and -o exclude each other. Set only one.'],
  ])('refuses %j', async (words, problem) => {
    expect(await conch('repo', 'fill', write('config.pbtxt', template), ...words)).toMatchObject({
      code: 2,
      err: problem,
    });
  });

  it('says when the filled file is still no configuration', async () => {
    const { err } = await conch('repo', 'fill', write('config.pbtxt', template), 'size:many,opt:1');
    expect(err).toBe('conch: HERE/config.pbtxt:2:17: expected a whole number for max_batch_size, but found many.\n');
  });
});

describe('conch repo check', () => {
  it('has a line for each finding and a table of all models', async () => {
    write('bad/config.pbtxt', 'name: "bad"\nbackend "python"\n');
    write('bad/1/model.py', '');
    write('good/config.pbtxt', 'backend: "python"');
    write('good/3/model.py', '');
    write('docs/README.md', '');
    expect(await conch('repo', 'check', folder)).toEqual({
      code: 1,
      err: '',
      out: `HERE/bad/config.pbtxt:2:9: error: expected : after backend, but found "python".
HERE/docs: note: it is not a model and is ignored: it has no config.pbtxt and no version folder.

MODEL  BACKEND  VERSIONS  RUNS ON       STATE
bad    ?                                ERROR
good   python   3         tritonserver  OK

2 models, 1 error, 0 warnings.
`,
    });
  });

  it('says what is wrong with a folder that is no repository', async () => {
    expect(await conch('repo', 'check', at('none'))).toMatchObject({
      code: 1,
      err: 'conch: The model repository HERE/none is not a folder.\n',
    });
  });
});

it.each(commands)('$definition.name has a help text with examples', ({ definition }) => {
  const help = helpText({ commands: [...definitions], command: definition.name });
  expect(help).toContain(`Usage: conch ${definition.name}`);
  expect(help).toContain('Examples:');
});

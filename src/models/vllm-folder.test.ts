import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isWindows } from '../../test/support/system-program.ts';
import { readVllmFolder } from './vllm-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conch-vllm-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(files: Readonly<Record<string, string | object>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

/** What is found of the model `m`, with the folder of the test written as HERE. */
async function read(name = 'm'): Promise<unknown> {
  const locations = { repositories: [join(folder, 'none'), join(folder, 'models')], hubCaches: [join(folder, 'hub')] };
  const found = await readVllmFolder({ name, version: '1' }, locations);
  return found && JSON.parse(JSON.stringify(found).replaceAll(folder, 'HERE'));
}

const file = 'models/m/1/model.json';
const weights = () => join(folder, 'weights');
const text = { generatesText: true, makesEmbeddings: false };

describe('readVllmFolder', () => {
  it('finds tokenizer, context and abilities in the folder of the model', async () => {
    write({
      [file]: { model: weights(), structured_outputs_config: { backend: 'xgrammar' } },
      'weights/tokenizer.json': '{}',
      'weights/config.json': { architectures: ['LlamaForCausalLM'], max_position_embeddings: 8192 },
    });
    expect(await read()).toEqual({
      facts: { context: 8192, ...text, mostImages: 0 },
      tokenizerDirectory: 'HERE/weights',
      namesGuideLibrary: true,
      problems: [],
    });
  });

  it('takes the engine arguments before what the weights say', async () => {
    write({
      [file]: {
        model: weights(),
        tokenizer: join(folder, 'words'),
        max_model_len: 2048,
        runner: 'pooling',
        limit_mm_per_prompt: { image: 2 },
      },
      'words/tokenizer_config.json': '{}',
      'weights/config.json': { architectures: ['LlamaForCausalLM'], max_position_embeddings: 8192 },
    });
    expect(await read()).toEqual({
      facts: { context: 2048, generatesText: false, makesEmbeddings: true, mostImages: 2 },
      tokenizerDirectory: 'HERE/words',
      namesGuideLibrary: false,
      problems: [],
    });
  });

  it('finds a name of the hub in its cache', async () => {
    write({
      [file]: { model: 'org/name' },
      'hub/models--org--name/refs/main': 'abc',
      'hub/models--org--name/snapshots/abc/tokenizer.json': '{}',
      'hub/models--org--name/snapshots/abc/config.json': { max_position_embeddings: 512 },
    });
    expect(await read()).toEqual({
      facts: { context: 512 },
      tokenizerDirectory: 'HERE/hub/models--org--name/snapshots/abc',
      namesGuideLibrary: false,
      problems: [],
    });
  });

  const unreadable: [string, Record<string, string | object>, string][] = [
    [
      'no version folder',
      { 'models/m/config.pbtxt': '' },
      `HERE/${file} is missing. It must contain the engine arguments of the vLLM model.`,
    ],
    ['no JSON', { [file]: '{' }, `HERE/${file} is not a JSON object.`],
    ['a list', { [file]: '[]' }, `HERE/${file} is not a JSON object.`],
    ['a folder', { [`${file}/x`]: '' }, `HERE/${file} is not a file.`],
  ];
  it.each(unreadable)('says what is wrong with a model.json that is %s', async (_, files, problem) => {
    write(files);
    expect(await read()).toEqual({ facts: {}, problems: [problem] });
  });

  it.each([
    [{}, `"model" in HERE/${file} must be a folder or the name of a model on the Hugging Face hub.`],
    [{ model: 7 }, `"model" in HERE/${file} must be a folder or the name of a model on the Hugging Face hub.`],
    [
      { model: '/nowhere/at all' },
      `"model" in HERE/${file} is "/nowhere/at all", which is not a folder on this machine.`,
    ],
    [
      { model: '../x', tokenizer: 'org/name' },
      `"tokenizer" in HERE/${file} is "org/name", which is neither a folder on this machine nor in a cache of the Hugging Face hub.`,
    ],
  ])('says why there is no tokenizer for %j', async (engine, problem) => {
    write({ [file]: engine });
    expect(await read()).toEqual({ facts: {}, namesGuideLibrary: false, problems: [problem] });
  });

  it('says that a relative path depends on the working directory', async () => {
    write({ [file]: { model: 'src', tokenizer: 'test' } });
    expect(await read()).toMatchObject({
      problems: [
        'test has neither tokenizer.json nor tokenizer_config.json.',
        `"tokenizer" in HERE/${file} is a relative path, which depends on where tritonserver is started.`,
      ],
    });
  });

  it.skipIf(isWindows)('reads no device, which may have no end, and no file that is too large', async () => {
    write({ 'models/m/1/x': '', 'models/large/1/model.json': '', 'models/w/1/model.json': { model: weights() } });
    symlinkSync('/dev/zero', join(folder, file));
    truncateSync(join(folder, 'models/large/1/model.json'), 2 ** 20 + 1);
    write({ 'weights/tokenizer.json': '' });
    truncateSync(join(folder, 'weights/tokenizer.json'), 2 ** 28 + 1);
    expect([await read(), await read('large'), await read('w')]).toMatchObject([
      { problems: [`HERE/${file} is not a file.`] },
      { problems: ['HERE/models/large/1/model.json is too large for engine arguments.'] },
      { problems: ['HERE/weights/tokenizer.json is larger than 268435456 bytes.'] },
    ]);
  });

  it('finds nothing where no repository has the model', async () => {
    write({ 'm/1/model.json': '{}' });
    expect([await read(), await read('../m'), await read('..'), await read('')]).toEqual(Array(4).fill(undefined));
  });
});

describe('the weights', () => {
  const facts = async (config: object, ...others: string[]) => {
    write({ [file]: { model: weights() }, 'weights/tokenizer.json': '{}', 'weights/config.json': config });
    for (const other of others) write({ [`weights/${other}`]: '{}' });
    return ((await read()) as { facts: object }).facts;
  };

  it.each<[string, object, string[], object]>([
    [
      'sentence-transformers',
      { architectures: ['Qwen2ForCausalLM'] },
      ['modules.json'],
      { generatesText: false, makesEmbeddings: true, mostImages: 0 },
    ],
    ['images', { architectures: ['LlavaForConditionalGeneration'], vision_config: {} }, [], text],
    ['images that a file prepares', { architectures: ['PhiForCausalLM'] }, ['preprocessor_config.json'], text],
    ['an unknown kind', { architectures: ['BertModel'], max_position_embeddings: 512 }, [], { context: 512 }],
    ['a scaled context', { max_position_embeddings: 32768, rope_scaling: { rope_type: 'yarn', factor: 4 } }, [], {}],
    [
      'a context of its own scale',
      { max_position_embeddings: 131072, rope_scaling: { rope_type: 'llama3', factor: 8 } },
      [],
      { context: 131072 },
    ],
    ['nonsense', { architectures: 'x', max_position_embeddings: -1 }, [], {}],
  ])('tell of %s', async (_, config, others, expected) => {
    expect(await facts(config, ...others)).toEqual(expected);
  });

  it('have the shorter of two contexts', async () => {
    write({ 'weights/tokenizer_config.json': { model_max_length: 256 } });
    expect(await facts({ max_position_embeddings: 512 })).toEqual({ context: 256 });
  });
});

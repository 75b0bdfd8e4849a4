import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isWindows } from '../../test/support/system-program.ts';
import { findingLine, RepositoryError } from './finding.ts';
import { readRepository } from './read-repository.ts';
import type { RepositoryModel } from './repository-model.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'conch-repository-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (...path: string[]) => join(folder, ...path);
const plain = (text: string) => text.replaceAll(folder, 'HERE');

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content);
  }
}

async function only(files: Readonly<Record<string, string>>): Promise<RepositoryModel> {
  write(files);
  const { models } = await readRepository([folder]);
  const [model] = models;
  if (model === undefined || models.length !== 1) throw new Error('There is not one model.');
  return model;
}

const lines = ({ findings }: Pick<RepositoryModel, 'findings'>) =>
  findings.map((finding) => plain(findingLine(finding)));

async function problems(...folders: string[]): Promise<string> {
  return readRepository(folders).then(
    () => 'none',
    (error: unknown) => {
      if (error instanceof RepositoryError) return plain(error.problems.join('\n'));
      throw error;
    },
  );
}

describe('the versions of a model', () => {
  const versions = {
    'm/1/model.py': '',
    'm/3/model.py': '',
    'm/10/model.py': '',
    'm/02/model.py': '',
    'm/x/model.py': '',
  };

  it.each([
    ['', [10]],
    ['version_policy { latest { num_versions: 2 } }', [3, 10]],
    ['version_policy { latest { num_versions: 9 } }', [1, 3, 10]],
    ['version_policy: { all { } }', [1, 3, 10]],
    ['version_policy { specific { versions: [ 3, 1 ] } }', [1, 3]],
    ['version_policy { specific { versions: [ 3, 2 ] } }', [3]],
  ])('with %j are %j', async (policy, expected) => {
    const model = await only({ ...versions, 'm/config.pbtxt': `backend: "python" ${policy}` });
    expect(model).toMatchObject({ state: 'available', versions: expected, runsOn: 'tritonserver' });
  });

  it('are warned of where the policy names one that is not there', async () => {
    const model = await only({
      ...versions,
      'm/config.pbtxt': 'backend: "a"\nversion_policy { specific { versions: [ 3, 2 ] } }',
    });
    expect(lines(model)).toEqual([
      'HERE/m/config.pbtxt:2:1: warning: version_policy selects version 2, which does not exist.',
    ]);
  });

  it.each([
    ['version_policy { specific { versions: 7 } }', 'version_policy selects none of the versions 1, 3, 10.'],
    ['version_policy { latest { } }', 'version_policy selects none of the versions 1, 3, 10.'],
  ])('must not be none: %j', async (policy, reason) => {
    const model = await only({ ...versions, 'm/config.pbtxt': `${policy} backend: "python"` });
    expect(model).toMatchObject({ state: 'unavailable', reason: `${at('m/config.pbtxt')}:1:1: ${reason}` });
  });
});

describe('a model without a backend in its configuration', () => {
  it.each([
    ['m/1/model.py', 'python', 'tritonserver'],
    ['m/1/model.onnx', 'onnxruntime', 'tritonserver'],
    ['m/1/model.plan', 'tensorrt', 'tritonserver'],
    ['m/1/model.savedmodel/saved_model.pb', 'tensorflow', 'tritonserver'],
    ['m/1/model.gguf', 'llamacpp', 'embedded'],
    ['m.vllm/1/model.json', 'vllm', 'tritonserver'],
  ])('is known by %s', async (path, backend, runsOn) => {
    expect(await only({ [path]: 'GGUF' })).toMatchObject({ state: 'available', backend, runsOn, config: { backend } });
  });

  it('is an ensemble by its platform', async () => {
    const model = await only({ 'm/config.pbtxt': 'platform: "ensemble"', 'm/1/.keep': '' });
    expect(model).toMatchObject({ backend: 'ensemble', config: { name: 'm', backend: '', platform: 'ensemble' } });
  });

  it('is unavailable when nothing tells', async () => {
    expect(await only({ 'm/1/weights.bin': '' })).toMatchObject({
      state: 'unavailable',
      reason: `${at('m')}: it has no config.pbtxt, and none of its files identifies its backend.`,
    });
  });
});

describe('a model of the backend llamacpp', () => {
  const config = (parameters: Readonly<Record<string, string>>, more = '') =>
    `backend: "llamacpp"\n${more}${Object.entries(parameters)
      .map(([key, value]) => `parameters { key: "${key}" value { string_value: "${value}" } }\n`)
      .join('')}`;

  it('has its file in the version folder, and its settings in the parameters', async () => {
    const parameters = { context_length: '4096', sequences: '2', lora: 'a=lora/a.gguf, lora/b.gguf' };
    const files = { 'm/1/model.gguf': 'GGUF', 'm/lora/a.gguf': 'GGUF', 'm/lora/b.gguf': 'GGUF' };
    const model = await only({ ...files, 'm/config.pbtxt': config(parameters) });
    expect(model).toMatchObject({ runsOn: 'embedded', versions: [1], findings: [] });
    expect(model).toMatchObject({
      llamacpp: {
        files: new Map([[1, at('m/1/model.gguf')]]),
        contextLength: 4096,
        sequences: 2,
        adapters: [
          { name: 'a', file: at('m/lora/a.gguf') },
          { name: 'b', file: at('m/lora/b.gguf') },
        ],
      },
    });
  });

  it('has a file for each version that is served', async () => {
    const files = { 'm/1/w.gguf': 'GGUF', 'm/2/w.gguf': 'GGUF' };
    const more = 'version_policy { all { } } default_model_filename: "w.gguf"\n';
    expect(await only({ ...files, 'm/config.pbtxt': config({}, more) })).toMatchObject({
      llamacpp: { files: new Map([1, 2].map((version) => [version, at(`m/${version}/w.gguf`)])) },
    });
  });

  it.skipIf(isWindows)(
    'may have its file elsewhere in its folder, anywhere by an absolute path, or behind a link',
    async () => {
      write({
        'w.gguf': 'GGUF',
        'r/a/weights/w.gguf': 'GGUF',
        'r/a/config.pbtxt': config({ model_path: 'weights/w.gguf' }),
      });
      write({ 'r/b/config.pbtxt': config({ model_path: at('w.gguf') }), 'r/c/1/.keep': '' });
      symlinkSync(at('w.gguf'), at('r/c/1/model.gguf'));
      const { models } = await readRepository([at('r')]);
      const files = models.map(
        (model) => model.state === 'available' && 'llamacpp' in model && model.llamacpp.files.get(1),
      );
      expect(files).toEqual([at('r/a/weights/w.gguf'), at('w.gguf'), at('r/c/1/model.gguf')]);
    },
  );

  it.each([
    [
      { model_path: '../w.gguf' },
      ":2:32: ../w.gguf is outside the model's folder: use an absolute path, or move the file into the folder.",
    ],
    [
      { model_path: 'x/../../w.gguf' },
      ":2:32: x/../../w.gguf is outside the model's folder: use an absolute path, or move the file into the folder.",
    ],
    [{ model_path: '' }, ':2:32: the path is empty.'],
    [{ model_path: '/nowhere/w.gguf' }, ':2:32: /nowhere/w.gguf does not exist.'],
    [{ context_length: '4k' }, ':2:36: context_length must be a whole number of at least 1, not "4k".'],
    [{ sequences: '0' }, ':2:31: sequences must be a whole number of at least 1, not "0".'],
    [
      { lora: 'a=../l.gguf' },
      ":2:26: ../l.gguf is outside the model's folder: use an absolute path, or move the file into the folder.",
    ],
    [{ lora: '=1/model.gguf' }, ':2:26: an adapter in lora has no name: use name=path, not =1/model.gguf.'],
    [{ lora: 'a=1/model.gguf,a=1/model.gguf' }, ':2:26: lora has the adapter a twice.'],
  ])('is unavailable with %j', async (parameters, reason) => {
    const model = await only({ 'm/config.pbtxt': config(parameters), 'm/1/model.gguf': 'GGUF' });
    expect(model).toMatchObject({ state: 'unavailable', backend: 'llamacpp', reason: at('m/config.pbtxt') + reason });
  });

  it.each([
    [{ 'm/1/model.gguf': '<html>' }, 'HERE/m/1/model.gguf: HERE/m/1/model.gguf is not a GGUF file.'],
    [{ 'm/1/model.gguf': 'GG' }, 'HERE/m/1/model.gguf: HERE/m/1/model.gguf is not a GGUF file.'],
    [
      { 'm/1/other.gguf': 'GGUF' },
      'HERE/m/1: model.gguf is missing. The folder has other.gguf: rename it, or set default_model_filename: "other.gguf".',
    ],
    [{ 'm/1/.keep': '' }, 'HERE/m/1: model.gguf is missing.'],
    [{ 'm/.keep': '' }, 'HERE/m: it has no version folder such as 1.'],
  ])('is unavailable with the files %j', async (files, reason) => {
    const model = await only({ 'm/config.pbtxt': config({}), ...files });
    expect(model.state === 'unavailable' && plain(model.reason)).toBe(reason);
  });

  it('is warned of a parameter without effect', async () => {
    const model = await only({ 'm/config.pbtxt': config({ context_lenght: '1' }), 'm/1/model.gguf': 'GGUF' });
    expect(lines(model)).toEqual([
      'HERE/m/config.pbtxt:2:36: warning: the backend llamacpp ignores the parameter context_lenght. Did you mean context_length?',
    ]);
  });
});

describe('a repository', () => {
  it('goes on with the others when one model is broken', async () => {
    write({ 'a/config.pbtxt': 'backend: 5', 'b/config.pbtxt': 'name: "other" backend: "x"', 'b/1/.keep': '' });
    write({ 'c/config.pbtxt': 'backend: "vllm"', 'c/1/model.json': '{}', '.git/1/model.py': '', 'README.md': '' });
    const { models, notes } = await readRepository([folder]);
    expect(models.map(({ name, state }) => [name, state])).toEqual([
      ['a', 'unavailable'],
      ['b', 'unavailable'],
      ['c', 'available'],
    ]);
    expect(models.flatMap(lines)).toEqual([
      'HERE/a/config.pbtxt:1:10: error: expected a string in quotes for backend, but found 5.',
      'HERE/b/config.pbtxt:1:1: error: name is "other", but the folder is "b": they must be equal.',
    ]);
    expect(notes).toEqual([]);
  });

  it('has its own error for a configuration that is not text', async () => {
    mkdirSync(at('m/1'), { recursive: true });
    writeFileSync(at('m/config.pbtxt'), Buffer.of(0x6e, 0xff));
    mkdirSync(at('n/1/'), { recursive: true });
    mkdirSync(at('n/config.pbtxt'));
    const { models } = await readRepository([folder]);
    expect(models.flatMap(lines)).toEqual([
      'HERE/m/config.pbtxt: error: it is not UTF-8 text.',
      'HERE/n/config.pbtxt: error: it cannot be read: it is a folder.',
    ]);
  });

  it('ignores folders that are not models, with a note', async () => {
    write({ 'm/1/model.py': '', 'adapters/a.bin': '' });
    const { notes } = await readRepository([folder]);
    expect(lines({ findings: notes })).toEqual([
      'HERE/adapters: note: it is not a model and is ignored: it has no config.pbtxt and no version folder.',
    ]);
  });

  it.skipIf(isWindows)('may be one of several, even the same twice', async () => {
    write({ 'x/m/1/model.py': '', 'y/n/1/model.gguf': 'GGUF' });
    symlinkSync(at('x'), at('z'));
    const { models } = await readRepository([at('x'), at('y'), at('z')]);
    expect(models.map(({ name }) => name)).toEqual(['m', 'n']);
  });

  it('is refused when two models have one name', async () => {
    write({ 'x/m/1/model.py': '', 'y/m/1/model.gguf': 'GGUF' });
    expect(await problems(at('x'), at('y'))).toBe('Two models have the name m: HERE/x/m and HERE/y/m.');
  });

  it('is refused when it is missing, empty, or a model itself', async () => {
    write({ file: '', 'empty/README': '', 'm/config.pbtxt': 'backend: "vllm"' });
    mkdirSync(at('m/1'));
    expect(await problems(at('none'), at('file'))).toBe(
      'The model repository HERE/none is not a folder.\nThe model repository HERE/file is not a folder.',
    );
    expect(await problems(at('empty'))).toBe(
      'The model repository HERE/empty has no models. A model is a folder with a config.pbtxt and a version folder such as 1.',
    );
    expect(await problems(at('m'))).toBe('HERE/m is a model, not a model repository. Use its parent folder.');
  });
});

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkFiles } from './check-files.ts';
import { loadSettings } from './load.ts';

describe('checkFiles', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'conch-settings-'));
    await mkdir(join(folder, 'tokenizer'));
    await writeFile(join(folder, 'tokenizer', 'tokenizer.json'), '{}');
    await mkdir(join(folder, 'template-alone'));
    await writeFile(join(folder, 'template-alone', 'chat_template.jinja'), '');
    await mkdir(join(folder, 'empty'));
    await writeFile(join(folder, 'template.jinja'), '');
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('accepts valid files, and ignores names on the hub', async () => {
    const file = join(folder, 'conch.yaml');
    await writeFile(
      file,
      'tokenizer: ./tokenizer\nchat_template: template.jinja\nmodels: {a: {tokenizer: org/name}, b: {tokenizer: ./template-alone}}\n',
    );
    expect(await checkFiles(loadSettings({ argv: ['--config', file] }))).toEqual([]);
  });

  it('names a folder of a tokenizer that has none', async () => {
    const empty = join(folder, 'empty');
    expect(await checkFiles(loadSettings({ argv: ['--tokenizer', empty] }))).toEqual([
      `--tokenizer: ${empty} has neither tokenizer.json nor tokenizer_config.json. Set the folder of a tokenizer.`,
    ]);
  });

  it('takes the file of a tokenizer for its folder, as the start does', async () => {
    const file = join(folder, 'tokenizer.json');
    await writeFile(file, '{}');
    expect(await checkFiles(loadSettings({ argv: ['--tokenizer', file] }))).toEqual([]);
    await rm(file);
    const empty = join(folder, 'empty');
    expect(await checkFiles(loadSettings({ argv: ['--tokenizer', join(empty, 'tokenizer.json')] }))).toEqual([
      `--tokenizer: ${empty} has neither tokenizer.json nor tokenizer_config.json. Set the folder of a tokenizer.`,
    ]);
  });

  it('names what is missing or of the wrong kind, and the setting', async () => {
    const config = 'models:\n  a:\n    tokenizer: ./template.jinja\n    chat_template: /no/template\n';
    const settings = loadSettings({
      argv: ['--config', join(folder, 'c.yaml'), '--triton-ca', join(folder, 'ca.pem'), '--chat-template', folder],
      environment: { CONCH_TOKENIZER: './no/such/folder', CONCH_HISTORY_TEMPLATE_FILE: join(folder, 'none') },
      readFile: () => config,
    });
    expect(await checkFiles({ ...settings, config: undefined })).toEqual([
      `--triton-ca: file not found: ${folder}/ca.pem. Check the path.`,
      'CONCH_TOKENIZER: folder not found: ./no/such/folder. Check the path.',
      `--chat-template: ${folder} is not a file. Set the path of a file.`,
      `CONCH_HISTORY_TEMPLATE_FILE: file not found: ${folder}/none. Check the path.`,
      `${folder}/c.yaml:3:5: ${folder}/template.jinja is not a folder. Set the path of a folder.`,
      `${folder}/c.yaml:4:5: file not found: /no/template. Check the path.`,
    ]);
  });
});

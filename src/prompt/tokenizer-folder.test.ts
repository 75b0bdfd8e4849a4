import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadPromptAssets } from './assets.ts';
import { readTokenizerFolder } from './tokenizer-folder.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tokenizer-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(files: Record<string, unknown>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

it('reads special tokens, length and EOS ids', async () => {
  await put({
    'tokenizer_config.json': {
      bos_token: { content: '<s>' },
      eos_token: '</s>',
      pad_token: null,
      model_max_length: 4096,
      extra_special_tokens: { image_token: '<image>' },
      chat_template: 'x',
    },
    'special_tokens_map.json': { pad_token: '<pad>', eos_token: 'other' },
    'generation_config.json': { eos_token_id: [1, 2] },
  });
  expect(await readTokenizerFolder(folder)).toEqual({
    specialTokens: { bos_token: '<s>', eos_token: '</s>', pad_token: '<pad>', image_token: '<image>' },
    templates: { default: 'x' },
    templateFile: 'tokenizer_config.json',
    modelMaxLength: 4096,
    eosTokenIds: [1, 2],
  });
});

it('finds templates in each place, files first', async () => {
  const found = [];
  const list = [
    { name: 'default', template: 'list' },
    { name: 'tool_use', template: 'tools' },
  ];
  await put({ 'tokenizer_config.json': { chat_template: list, model_max_length: 1e30 } });
  found.push(await readTokenizerFolder(folder));
  await put({ 'chat_template.json': { chat_template: 'json' } });
  found.push(await readTokenizerFolder(folder));
  await put({ 'chat_template.jinja': 'jinja', 'additional_chat_templates/rag.jinja': 'rag' });
  found.push(await readTokenizerFolder(folder));
  const rest = { specialTokens: {}, modelMaxLength: undefined, eosTokenIds: [] };
  expect(found).toEqual([
    { ...rest, templates: { default: 'list', tool_use: 'tools' }, templateFile: 'tokenizer_config.json' },
    { ...rest, templates: { default: 'json' }, templateFile: 'chat_template.json' },
    { ...rest, templates: { default: 'jinja', rag: 'rag' }, templateFile: 'chat_template.jinja' },
  ]);
});

it('takes a template setting over the folder, and a history template where there is none', async () => {
  const hub = { endpoint: 'http://127.0.0.1:1', cacheFolder: folder, offline: true };
  await put({ 'tokenizer_config.json': { chat_template: 'own' }, 'other.jinja': 'other', 'empty/x': '' });
  const tokenizer = folder;
  const loaded = [
    await loadPromptAssets({ tokenizer, hub }),
    await loadPromptAssets({ tokenizer, chatTemplate: join(folder, 'other.jinja'), hub }),
    await loadPromptAssets({ chatTemplate: '{{ inline }}', hub }),
    await loadPromptAssets({ historyTemplate: 'liquid', hub }),
    await loadPromptAssets({ hub }),
  ];
  expect(loaded.map(({ template }) => [template?.source, template?.text])).toEqual([
    [`tokenizer_config.json of ${folder}`, 'own'],
    [join(folder, 'other.jinja'), 'other'],
    ['the chat template setting', '{{ inline }}'],
    ['the history template', 'liquid'],
    [undefined, undefined],
  ]);
});

it('says what is wrong with a folder', async () => {
  const hub = { endpoint: 'http://127.0.0.1:1', cacheFolder: folder, offline: true };
  await put({
    'bad/tokenizer_config.json': '{',
    'list/tokenizer_config.json': '[]',
    'empty/x': '',
    't/tokenizer_config.json': { chat_template: '{% if %}' },
  });
  const said = await Promise.all(
    ['bad', 'list', 'empty', 't', 'none'].map((name) =>
      loadPromptAssets({ tokenizer: join(folder, name), hub }).catch((error: Error) =>
        error.message.replaceAll(folder, ''),
      ),
    ),
  );
  expect(said).toEqual([
    expect.stringMatching(/^\/bad\/tokenizer_config.json is not JSON: /),
    '/list/tokenizer_config.json must hold a JSON object.',
    '/empty has neither tokenizer.json nor tokenizer_config.json.',
    expect.stringMatching(/^The chat template is not valid Jinja: /),
    'The tokenizer folder /none does not exist.',
  ]);
  await expect(loadPromptAssets({ chatTemplate: '/no/file.jinja', hub })).rejects.toThrow(
    'The chat template file /no/file.jinja does not exist.',
  );
});

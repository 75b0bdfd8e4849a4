import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSentenceFolder } from './sentence-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conch-sentence-'));
  mkdirSync(join(folder, '1_Pooling'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (file: string, value: unknown) =>
  writeFileSync(join(folder, file), typeof value === 'string' ? value : JSON.stringify(value));

const modules = (...names: string[]) => names.map((name) => ({ type: `sentence_transformers.models.${name}` }));

describe('readSentenceFolder', () => {
  it('knows nothing of a folder without the files', async () => {
    expect(await readSentenceFolder(folder)).toEqual({ furtherSteps: [] });
  });

  it('reads the pooling, the scaling and the prompt', async () => {
    write('modules.json', modules('Transformer', 'Pooling', 'Dense', 'Normalize'));
    write('1_Pooling/config.json', { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false });
    write('config_sentence_transformers.json', {
      prompts: { query: 'query: ', passage: 'passage: ' },
      default_prompt_name: 'passage',
    });
    write('sentence_bert_config.json', { max_seq_length: 512, do_lower_case: false });
    expect(await readSentenceFolder(folder)).toEqual({
      pooling: 'cls',
      normalize: true,
      prompt: 'passage: ',
      longest: 512,
      furtherSteps: ['Dense'],
    });
  });

  it.each([
    [{ pooling_mode_lasttoken: true }, 'last'],
    [{ pooling_mode_mean_tokens: true }, 'mean'],
    [{ pooling_mode_max_tokens: true }, 'other'],
    [{ pooling_mode_mean_tokens: true, pooling_mode_cls_token: true }, 'other'],
  ])('reads the pooling of %j', async (config, pooling) => {
    write('1_Pooling/config.json', config);
    write('modules.json', modules('Transformer', 'Pooling'));
    expect(await readSentenceFolder(folder)).toEqual({ pooling, normalize: false, furtherSteps: [] });
  });

  it.each([
    ['modules.json', '{', /modules\.json cannot be read/],
    ['modules.json', '{}', /modules\.json must hold a list/],
    ['sentence_bert_config.json', '[]', /sentence_bert_config\.json must hold a JSON object/],
  ])('names a file that is damaged: %s with %s', async (file, text, message) => {
    write(file, text);
    await expect(readSentenceFolder(folder)).rejects.toThrow(message);
  });
});

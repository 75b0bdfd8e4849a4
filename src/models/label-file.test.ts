import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readLabels } from './label-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-labels-'));
beforeAll(() => {
  mkdirSync(join(folder, 'mood'));
  writeFileSync(join(folder, 'mood', 'labels.txt'), 'sad\r\nnot so sad\nglad\n\n');
  writeFileSync(join(folder, 'secret.txt'), 'secret');
});
afterAll(() => rmSync(folder, { recursive: true }));

const labelled = (file: string, name = 'mood') => ({
  name,
  output: [
    { name: 'other', data_type: 'TYPE_FP32', dims: [3], label_filename: '' },
    { name: 'logits', data_type: 'TYPE_FP32', dims: [3], label_filename: file },
  ],
});

it('reads a label from each line of the file that an output names', async () => {
  expect(await readLabels(labelled('labels.txt'), ['/nowhere', folder])).toEqual(['sad', 'not so sad', 'glad']);
});

it.each([
  ['no file is named', labelled('')],
  ['the file is missing', labelled('classes.txt')],
  ['the file is outside of the model', labelled('../secret.txt')],
  ['the model is outside of the repository', labelled('secret.txt', '..')],
])('knows no labels where %s', async (_, config) => {
  expect(await readLabels(config, [folder])).toBeUndefined();
});

it('knows no labels of a model whose repository is elsewhere', async () => {
  expect(await readLabels(labelled('labels.txt'), [])).toBeUndefined();
});

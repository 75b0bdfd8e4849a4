import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { adapterFolder, config, npy, weights } from '../../test/support/npy.ts';
import type { AdapterFormat } from '../contracts/contract.ts';
import { AdapterFolderError, openAdapterFolder } from './adapter-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'conch-adapters-'));
afterAll(() => rmSync(root, { recursive: true }));

let made = 0;
const folderOf = (files: Partial<Parameters<typeof adapterFolder>[1]>): string =>
  adapterFolder(join(root, `adapter-${made++}`), { ...good, ...files });
const rows = [
  [0.5, -1, 2],
  [0, 0.25, 3],
];
const good = {
  weights: weights(rows),
  config: config([
    [1, 0, 8],
    [2, 1, 8],
  ]),
};
const form = (parts: Partial<AdapterFormat> = {}): AdapterFormat => ({
  datatype: 'FP16',
  isMissing: () => false,
  ...parts,
});
const halves = Buffer.from('003800bc004000000034 0042'.replace(' ', ''), 'hex');

describe('the folder of an adapter', () => {
  it('gives its weights and what they belong to, without the batch', async () => {
    const folder = await openAdapterFolder(folderOf({}));
    expect(await folder.read(form({ columns: 3 }))).toEqual({
      weights: halves,
      weightsShape: [2, 3],
      config: [1, 0, 8, 2, 1, 8],
      configShape: [2, 3],
    });
  });

  it('has a number that is made of its contents', async () => {
    const [one, same, other] = await Promise.all(
      [
        {},
        {},
        {
          weights: weights([
            [0.5, -1, 2],
            [0, 0.25, 4],
          ]),
        },
      ].map((files) => openAdapterFolder(folderOf(files))),
    );
    expect(one?.number).toBe(same?.number);
    expect(one?.number).not.toBe(other?.number);
    expect([Number.isSafeInteger(one?.number), (one?.number ?? 0) >= 2 ** 52]).toEqual([true, true]);
  });

  it.each([
    ['<f4', 'FP16'],
    ['|V2', 'FP16'],
    ['<f2', 'FP32'],
    ['<f2', 'BF16'],
  ] as const)('turns %s into %s', async (from, to) => {
    const read = (files: object, datatype: 'FP16' | 'FP32' | 'BF16') =>
      openAdapterFolder(folderOf(files)).then((folder) => folder.read(form({ datatype })));
    const { weights: data } = await read({ weights: weights(rows, from) }, to);
    const names = { FP16: '<f2', FP32: '<f4', BF16: '|V2' } as const;
    expect(data).toEqual((await read({ weights: weights(rows, names[to]) }, to)).weights);
  });

  it('fits the columns of its configuration to the model, unless they say DoRA', async () => {
    const plain = await openAdapterFolder(
      folderOf({
        config: config([
          [1, 0, 8, 0],
          [2, 1, 8, 0],
        ]),
      }),
    );
    const three = await openAdapterFolder(folderOf({}));
    const dora = folderOf({
      config: config([
        [1, 0, 8, 0],
        [2, 1, 8, 1],
      ]),
    });
    expect((await plain.read(form({ columns: 3 }))).config).toEqual([1, 0, 8, 2, 1, 8]);
    expect((await plain.read(form())).config).toEqual([1, 0, 8, 0, 2, 1, 8, 0]);
    expect((await three.read(form({ columns: 4 }))).config).toEqual([1, 0, 8, 0, 2, 1, 8, 0]);
    await expect((await openAdapterFolder(dora)).read(form({ columns: 3 }))).rejects.toThrow(
      `${dora} is a DoRA adapter, which this model does not support.`,
    );
  });

  it('is not sent once it has changed, and not where its numbers are too large', async () => {
    const path = folderOf({});
    const folder = await openAdapterFolder(path);
    writeFileSync(
      join(path, 'model.lora_weights.npy'),
      weights([
        [1, 2, 3, 4],
        [1, 2, 3, 4],
      ]),
    );
    await expect(folder.read(form())).rejects.toThrow(
      `${path} has changed since it was loaded: load the adapter again.`,
    );
    const large = folderOf({
      weights: weights(
        [
          [1, 65_520, 0],
          [1, 1, 1],
        ],
        '<f4',
      ),
    });
    await expect((await openAdapterFolder(large)).read(form())).rejects.toThrow(
      `${large} has numbers that are too large for FP16, the datatype of this model.`,
    );
  });

  it.each([
    [{ weights: npy({ type: '<f2', shape: [6], data: halves }) }, 'weights', 'has the shape [6], not [1, rows, size].'],
    [
      { weights: npy({ type: '<f2', shape: [2, 3, 1], data: halves }) },
      'weights',
      'has the shape [2, 3, 1], not [1, rows, size].',
    ],
    [{ weights: npy({ type: '<f2', shape: [1, 0, 3], data: Buffer.alloc(0) }) }, 'weights', 'is empty.'],
    [
      {
        weights: config([
          [1, 2, 3],
          [1, 2, 3],
        ]),
      },
      'weights',
      'has the datatype INT32, not FP16, FP32 or BF16.',
    ],
    [
      { weights: good.weights.subarray(0, -2) },
      'weights',
      'is truncated: it has 10 bytes of data, but its shape needs 12.',
    ],
    [
      {
        config: weights([
          [1, 2, 3],
          [1, 2, 3],
        ]),
      },
      'config',
      'has the datatype FP16, not INT32.',
    ],
    [
      {
        config: config([
          [1, 0],
          [1, 1],
        ]),
      },
      'config',
      'has the shape [1, 2, 2], not [1, rows, 3] or [1, rows, 4].',
    ],
    [{ config: config([[1, 0, 8]]) }, 'config', 'describes 1 rows, but model.lora_weights.npy has 2.'],
  ])('that is wrong is refused (%#)', async (files, file, text) => {
    const path = folderOf(files);
    await expect(openAdapterFolder(path)).rejects.toThrow(
      new AdapterFolderError(`${join(path, `model.lora_${file}.npy`)} ${text}`),
    );
  });

  it('that lacks a file, or has a folder in its place, is refused', async () => {
    const path = folderOf({});
    rmSync(join(path, 'model.lora_config.npy'));
    await expect(openAdapterFolder(path)).rejects.toThrow(`${path}/model.lora_config.npy does not exist.`);
    mkdirSync(join(path, 'model.lora_config.npy'));
    await expect(openAdapterFolder(path)).rejects.toThrow(`${path}/model.lora_config.npy cannot be read.`);
  });
});

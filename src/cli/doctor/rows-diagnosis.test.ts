import { describe, expect, it } from 'vitest';
import type { ClassifyContract, EmbeddingContract, RerankContract } from '../../contracts/row-contracts.ts';
import type { NamedModel } from '../../models/served-model.ts';
import { rowsOf, rowsRemarks, rowsText } from './rows-diagnosis.ts';

const sizes = { takes: 'ids', mostTogether: 8, width: 3 };
const embedding = { ...sizes, kind: 'tensors', isPooledHere: true } as EmbeddingContract;
const rerank = { ...sizes, activation: 'softmax', label: 1 } as RerankContract;
const classify = { ...sizes, activation: 'sigmoid', labels: ['a', 'b', 'c'] } as unknown as ClassifyContract;
const shared = { takes: 'ids', batch: 8, dimensions: 3 };

describe('rowsOf', () => {
  it('tells of each thing that a model does with rows', () => {
    expect(rowsOf({ rows: { rerank, classify } }, undefined)).toEqual({
      rerank: { ...shared, activation: 'softmax', label: 1 },
      classify: { ...shared, activation: 'sigmoid', labels: ['a', 'b', 'c'] },
    });
    expect(rowsOf({ rows: { embedding } }, undefined)).toEqual({
      embedding: { ...shared, pooling: 'mean', isGuess: true, normalize: true, prompt: '' },
    });
  });

  it('tells why vectors cannot be made', () => {
    const sentence = { pooling: 'other', furtherSteps: [] } as never;
    expect(rowsOf({ rows: { embedding } }, sentence).embedding?.error).toMatch(/^This model cannot return embeddings/);
  });
});

it('writes each in one line', () => {
  const reported = rowsOf({ rows: { embedding, rerank, classify } }, undefined);
  expect([reported.embedding, reported.rerank, reported.classify].map((each) => each && rowsText(each))).toEqual([
    'token ids in, batches of up to 8, 3 values out, mean pooling in Conch, normalized',
    'token ids in, batches of up to 8, 3 values out, softmax of label 1',
    'token ids in, batches of up to 8, 3 values out, sigmoid, labels a, b, c',
  ]);
});

it('remarks on classes without names', () => {
  const model = (rows: NamedModel['rows']) => ({ name: 'm', rows, contextLength: () => 8 }) as unknown as NamedModel;
  const assets = { tokenizer: {}, eosTokenIds: [] } as never;
  expect(rowsRemarks(model({ classify: { ...classify, labels: undefined } }), assets)).toEqual([
    'Its classes have no names. Set models.m.classify.labels in the configuration file, or label_filename of its output in config.pbtxt.',
  ]);
  expect(rowsRemarks(model({ classify }), assets)).toEqual([]);
  const fromFile = { ...classify, labels: undefined, hasLabelFile: true };
  expect(rowsRemarks(model({ classify: fromFile }), assets)).toEqual([]);
});

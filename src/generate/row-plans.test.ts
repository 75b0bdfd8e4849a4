import { describe, expect, it } from 'vitest';
import type { ClassifyContract, EmbeddingContract, RerankContract } from '../contracts/row-contracts.ts';
import type { NamedModel } from '../models/served-model.ts';
import type { PromptAssets } from '../prompt/assets.ts';
import { planClassify } from './classify.ts';
import { planEmbedding } from './embedding.ts';
import { planRerank } from './rerank.ts';
import type { RowsPlan } from './rows.ts';
import { planScore } from './score.ts';

const model = { name: 'm' } as NamedModel;
const assets: PromptAssets = { eosTokenIds: [] };
const input = { items: ['a', [1, 2]], isList: true };

/** What becomes of figures, or why they are refused. */
function finished<Result>(plan: RowsPlan<Result>, figures: number[], width = figures.length): Result | string {
  const reading = {
    figures: Float32Array.from(figures),
    width,
    row: 0,
    sent: { texts: [''] },
    expected: plan.width ?? width,
  };
  try {
    return plan.finish(reading, (reason) => {
      throw new Error(reason);
    });
  } catch (error) {
    return (error as Error).message;
  }
}

const noNumbers = 'the model returned values that are not finite (NaN or infinity)';

describe('planEmbedding', () => {
  const vectors = {
    kind: 'tensors',
    takes: 'text',
    width: 2,
    isPooledHere: false,
    prompt: 'query: ',
  } as EmbeddingContract;
  const plan = (dimensions?: number, more: Partial<EmbeddingContract> = {}) =>
    planEmbedding({ input, dimensions }, { model, contract: { ...vectors, ...more }, assets });

  it('puts the prompt before texts, and names each input by its path', () => {
    const { inputs, field, pathOf, idPrefix } = plan();
    expect({ inputs, field, place: pathOf(1), idPrefix }).toEqual({
      inputs: [{ text: 'query: a' }, { ids: [1, 2] }],
      field: 'input',
      place: 'input[1]',
      idPrefix: 'embd',
    });
    const single = planEmbedding({ input: { items: ['a'], isList: false } }, { model, contract: vectors, assets });
    expect(single.pathOf(0)).toBe('input');
  });

  it('makes a vector of the figures', () => {
    expect(finished(plan(), [3, 4])).toEqual(Float32Array.of(3, 4));
    expect(finished(plan(undefined, { normalize: true }), [3, 4])).toEqual(Float32Array.of(0.6, 0.8));
    expect(finished(plan(1), [3, 4])).toEqual(Float32Array.of(1));
    expect(
      finished(plan(undefined, { isPooledHere: true, pooling: 'last', normalize: false }), [1, 2, 3, 4], 2),
    ).toEqual(Float32Array.of(3, 4));
  });

  it('refuses what is no vector', () => {
    expect(finished(plan(), [1, 2, 3])).toBe('the model returned a vector of 3 values, not of 2');
    expect(finished(plan(), [1, Number.NaN])).toBe(noNumbers);
  });

  it('refuses more dimensions than there are, as soon as that is known', () => {
    const message = 'dimensions: must be at most 2, the vector length of this model.';
    expect(() => plan(3)).toThrow(expect.objectContaining({ param: 'dimensions', message }));
    expect(finished(plan(3, { width: undefined }), [1, 2])).toBe(message);
  });
});

describe('planRerank', () => {
  const scores = { takes: 'text', width: 2, activation: 'softmax', label: 1 } as RerankContract;
  const request = { model: 'm', query: 'q', documents: ['a', { text: 'b' }] };
  const plan = (more: object = {}, own: PromptAssets = assets) =>
    planRerank({ ...request, ...more }, { model, contract: scores, assets: own });

  it('pairs the query with each document', () => {
    const { inputs, field, pathOf, idPrefix } = plan({ max_tokens_per_doc: 7 }, { ...assets, tokenizer: {} as never });
    expect({ inputs, field, place: pathOf(1), idPrefix }).toEqual({
      inputs: [
        { pair: ['q', 'a'], mostOfSecond: 7 },
        { pair: ['q', 'b'], mostOfSecond: 7 },
      ],
      field: 'documents',
      place: 'documents[1]',
      idPrefix: 'rerank',
    });
  });

  it('makes a score of the figures', () => {
    expect(finished(plan(), [0, 0])).toBe(0.5);
    expect(finished(plan(), [0])).toBe('the model returned 1 values, not 2');
    expect(finished(plan(), [0, Number.POSITIVE_INFINITY])).toBe(noNumbers);
  });

  it('cuts no documents without a tokenizer', () => {
    expect(() => plan({ max_tokens_per_doc: 7 })).toThrow(
      expect.objectContaining({
        code: 'unsupported_parameter',
        message: 'max_tokens_per_doc: needs a tokenizer for this model; start Conch with --tokenizer m=DIR.',
      }),
    );
  });
});

describe('planScore', () => {
  const contract = { takes: 'text', width: 1, activation: 'none', label: 0 } as RerankContract;
  const sideOf = (field: string, ...texts: string[]) => ({ field, texts, isList: texts.length > 1 });
  const plan = (first: string[], second: string[]) =>
    planScore({ first: sideOf('queries', ...first), second: sideOf('items', ...second) }, { model, contract, assets });

  it.each([
    [['a'], ['x', 'y'], ['a x', 'a y']],
    [
      ['a', 'b'],
      ['x', 'y'],
      ['a x', 'b y'],
    ],
    [['a'], ['x'], ['a x']],
  ])('pairs %j with %j', (first, second, pairs) => {
    const { inputs } = plan(first, second);
    expect(inputs).toEqual(pairs.map((pair) => ({ pair: pair.split(' '), mostOfSecond: undefined })));
  });

  it('names each pair by its path in the request', () => {
    const { idPrefix, field, pathOf, tooLong } = plan(['a'], ['x', 'y']);
    expect({ idPrefix, field, place: pathOf(1), single: plan(['a'], ['x']).pathOf(0), tooLong }).toEqual({
      idPrefix: 'score',
      field: 'items',
      place: 'items[1]',
      single: 'items',
      tooLong: { counted: 'tokens together with queries', remedy: 'Shorten one of them.' },
    });
  });

  it('makes a score of the figures', () => {
    expect(finished(plan(['a'], ['x']), [0.5])).toBe(0.5);
    expect(finished(plan(['a'], ['x']), [0, 0])).toBe('the model returned 2 values, not 1');
  });
});

describe('planClassify', () => {
  const classes = { takes: 'text', width: 2, activation: 'none', labels: ['no', 'yes'] } as unknown as ClassifyContract;
  const plan = (more: object = {}) => planClassify({ input }, { model, contract: { ...classes, ...more }, assets });

  it('takes inputs as they are', () => {
    expect([plan().inputs, plan().pathOf(0)]).toEqual([[{ text: 'a' }, { ids: [1, 2] }], 'input[0]']);
  });

  it('finds the best class by its name or its number', () => {
    expect(finished(plan(), [0.25, 0.75])).toEqual({ label: 'yes', scores: [0.25, 0.75] });
    expect(finished(plan({ labels: undefined }), [0.75, 0.25])).toEqual({ label: 'LABEL_0', scores: [0.75, 0.25] });
    expect(finished(plan({ activation: 'softmax' }), [5, 5])).toEqual({ label: 'no', scores: [0.5, 0.5] });
  });

  it('refuses what are no classes', () => {
    expect(finished(plan(), [1])).toBe('the model returned 1 values, not 2');
    expect(finished(plan(), [1, Number.NaN])).toBe(noNumbers);
  });
});

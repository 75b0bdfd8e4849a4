import { describe, expect, it } from 'vitest';
import type { ModelConfig, ModelTensor } from '../kserve/messages.ts';
import { detectRows } from './detect-rows.ts';

/** `name TYPE dims`, such as `ids INT64 -1,384`; a question mark behind the name: optional. */
function tensor(written: string): ModelTensor {
  const [name = '', type, dims = ''] = written.split(' ');
  const optional = name.endsWith('?');
  return {
    name: optional ? name.slice(0, -1) : name,
    data_type: `TYPE_${type}`,
    dims: dims.split(',').map(Number),
    ...(optional ? { optional } : {}),
  };
}

function model(input: readonly string[], output: readonly string[], most = 8): ModelConfig {
  return {
    name: 'm',
    platform: '',
    backend: 'onnxruntime',
    max_batch_size: most,
    input: input.map(tensor),
    output: output.map(tensor),
    parameters: {},
  };
}

const ids = ['input_ids INT64 -1', 'attention_mask INT64 -1', 'token_type_ids INT64 -1'];
const ownBatch = ['input_ids INT64 -1,-1', 'attention_mask INT64 -1,-1'];

/** What was found, in short. */
function found(config: ModelConfig, settings: Parameters<typeof detectRows>[1] = {}): unknown {
  const { rows, reason } = detectRows(config, settings);
  const { embedding, rerank, classify } = rows;
  if (embedding) {
    const { takes, mostTogether, width, longest, isPooledHere, outputs } = embedding;
    return ['embedding', takes, mostTogether, width, longest, isPooledHere, outputs[0]];
  }
  if (classify && !rerank) {
    const { takes, mostTogether, width, activation, labels, hasLabelFile } = classify;
    return ['classify', takes, mostTogether, width, activation, hasLabelFile ? 'file' : labels];
  }
  return rerank ? ['rerank', rerank.takes, rerank.mostTogether, rerank.activation, rerank.label] : reason;
}

describe('detectRows', () => {
  it.each<[string, ModelConfig, unknown]>([
    [
      'text in',
      model(['TEXT STRING 1'], ['embeddings FP32 384']),
      ['embedding', 'text', 8, 384, undefined, false, 'embeddings'],
    ],
    [
      'text in, with inputs that may be left out',
      model(['TEXT STRING 1', 'mode? STRING 1'], ['out FP32 1024']),
      ['embedding', 'text', 8, 1024, undefined, false, 'out'],
    ],
    [
      'texts in, with a batch dimension of the model itself',
      model(['text STRING -1'], ['embedding FP32 -1,768'], 0),
      ['embedding', 'text', 32, 768, undefined, false, 'embedding'],
    ],
    [
      'one text in, without a batch dimension',
      model(['text STRING 1'], ['embedding FP32 768'], 0),
      ['embedding', 'text', 1, 768, undefined, false, 'embedding'],
    ],
    [
      'ids in, vectors of tokens out',
      model(ids, ['pooler_output FP32 384', 'last_hidden_state FP32 -1,384']),
      ['embedding', 'ids', 8, 384, undefined, true, 'last_hidden_state'],
    ],
    [
      'ids in, a vector out beside those of tokens',
      model(ids, ['token_embeddings FP16 -1,384', 'sentence_embedding FP16 384']),
      ['embedding', 'ids', 8, 384, undefined, false, 'sentence_embedding'],
    ],
    [
      'ids in, with a batch dimension of the model itself',
      model(ownBatch, ['last_hidden_state BF16 -1,-1,384'], 0),
      ['embedding', 'ids', 32, 384, undefined, true, 'last_hidden_state'],
    ],
    [
      'ids of a fixed length, one text',
      model(['input_ids INT32 1,128', 'attention_mask INT32 1,128'], ['last_hidden_state FP32 1,128,384'], 0),
      ['embedding', 'ids', 1, 384, 128, true, 'last_hidden_state'],
    ],
    [
      'ids without a mask: padding would be taken for text',
      model(['input_ids INT64 -1'], ['sentence_embedding FP32 384']),
      ['embedding', 'ids', 1, 384, undefined, false, 'sentence_embedding'],
    ],
    ['ids in, a logit out', model(ids, ['logits FP32 1']), ['rerank', 'ids', 8, 'sigmoid', 0]],
    ['ids in, two logits out', model(ids, ['logits FP32 2']), ['rerank', 'ids', 8, 'softmax', 1]],
    [
      'ids in, one score for each row of the model itself',
      model(ownBatch, ['scores FP32 -1'], 0),
      ['rerank', 'ids', 32, 'none', 0],
    ],
    [
      'two texts in, a score out',
      model(['query STRING 1', 'doc STRING 1'], ['score FP32 1']),
      ['rerank', 'text', 8, 'none', 0],
    ],
    [
      'two texts in, classes out',
      model(['a STRING 1', 'b STRING 1'], ['logits FP32 3']),
      'it sorts texts into 3 classes; to rerank by one of them, set rerank.label',
    ],
    [
      'a text in, classes out',
      model(['text STRING 1'], ['probs FP32 5']),
      ['classify', 'text', 8, 5, 'none', undefined],
    ],
    ['ids in, classes out', model(ids, ['logits FP32 3']), ['classify', 'ids', 8, 3, 'softmax', undefined]],
    [
      'ids in, classes out, with a batch dimension of the model itself',
      model(ownBatch, ['logits FP32 -1,3'], 0),
      ['classify', 'ids', 32, 3, 'softmax', undefined],
    ],
    ['a text in, one score out', model(['text STRING 1'], ['score FP32 1']), undefined],
    ['logits of no fixed number', model(['text STRING 1'], ['logits FP32 -1']), undefined],
    ['a text in, few figures out', model(['text STRING 1'], ['out FP32 4']), undefined],
    ['logits of every token', model(ids, ['logits FP32 -1,30522']), undefined],
    ['an image in', model(['image FP32 3,224,224'], ['embedding FP32 512']), undefined],
    ['a text and an image in', model(['text STRING 1', 'image FP32 3,2,2'], ['embedding FP32 512']), undefined],
    ['ids out', model(['QUERY STRING 1'], ['INPUT_ID INT32 -1']), undefined],
    [
      'a batch that must be full',
      model(['input_ids INT64 4,128', 'attention_mask INT64 4,128'], ['embedding FP32 4,384'], 0),
      undefined,
    ],
  ])('%s', (_, config, expected) => {
    expect(found(config)).toEqual(expected);
  });

  it('obeys what is set for the model', () => {
    const strange = model(['a INT64 -1', 'b INT64 -1', 'c? STRING 1'], ['x FP32 -1,8', 'y FP32 8']);
    expect(found(strange)).toBeUndefined();
    const tensors = { input: 'a', attention_mask: 'b' };
    expect(found(strange, { embedding: { ...tensors, output: 'x' } })).toEqual([
      'embedding',
      'ids',
      8,
      8,
      undefined,
      true,
      'x',
    ]);
    expect(found(strange, { embedding: { ...tensors, output: 'y' } })).toEqual([
      'embedding',
      'ids',
      8,
      8,
      undefined,
      false,
      'y',
    ]);
    expect(found(strange, { embedding: { output: 'y' } })).toBe(
      'it is set to make embeddings, which does not fit its tensors',
    );
    expect(found(strange, { rerank: {} })).toBe('it is set to rerank, which does not fit its tensors');
    const classes = model(ids, ['logits FP32 3']);
    expect(found(classes, { rerank: { label: 1, activation: 'sigmoid' } })).toEqual(['rerank', 'ids', 8, 'sigmoid', 1]);
    expect(found(classes, { rerank: { label: 3 } })).toBe('rerank.label is 3, but it has 3 labels, counted from 0');
  });

  it.each<[Parameters<typeof detectRows>[1], string]>([
    [
      { embedding: { attention_mask: 'attention_msk' } },
      'embedding.attention_mask is set to attention_msk, but it has no input of this name; it has input_ids, attention_mask, token_type_ids',
    ],
    [
      { embedding: { output: 'last_hiden_state' } },
      'embedding.output is set to last_hiden_state, but it has no output of this name; it has last_hidden_state',
    ],
    [
      { rerank: { token_type_ids: 'types' } },
      'rerank.token_type_ids is set to types, but it has no input of this name; it has input_ids, attention_mask, token_type_ids',
    ],
  ])('guesses nothing in place of a name that is set and not there: %j', (settings, reason) => {
    expect(found(model(ids, ['last_hidden_state FP32 -1,384']), settings)).toBe(reason);
  });

  it('guesses nothing in place of a tensor that is set and does not fit', () => {
    const text = model(['TEXT STRING 1', 'more? FP32 1'], ['out FP32 1024']);
    expect(found(text, { embedding: { input: 'TXET' } })).toBe(
      'embedding.input is set to TXET, but it has no input of this name; it has TEXT, more',
    );
    expect(found(text, { embedding: { input: 'more' } })).toBe(
      'it is set to make embeddings, which does not fit its tensors',
    );
    const tokens = model([...ids, 'note? STRING 1'], ['out FP32 -1,384']);
    expect(found(tokens, { embedding: { attention_mask: 'note' } })).toBe(
      'embedding.attention_mask is set to note, which is neither INT32 nor INT64',
    );
  });

  const labelled = (written: string): ModelTensor => ({ ...tensor(written), label_filename: 'labels.txt' });

  it('finds the classes of an output with labels, whatever its name and size', () => {
    const config = { ...model(['text STRING 1'], []), output: [labelled('out FP32 64')] };
    expect(found(config)).toEqual(['classify', 'text', 8, 64, 'softmax', 'file']);
    const single = { ...model(['text STRING 1'], []), output: [labelled('out FP32 1')] };
    expect(found(single)).toEqual(['classify', 'text', 8, 1, 'sigmoid', 'file']);
    const unsized = { ...model(['text STRING 1'], []), output: [labelled('probs FP32 -1')] };
    expect(found(unsized)).toEqual(['classify', 'text', 8, undefined, 'none', 'file']);
    const half = { ...model(['text STRING 1'], []), output: [labelled('logits FP16 3')] };
    expect(found(half)).toEqual(['classify', 'text', 8, 3, 'softmax', undefined]);
    const classify = { labels: ['a', 'b'] };
    expect(found(single, { classify })).toBe('it sorts texts into 1 classes, but has 2 labels');
  });

  it('finds classes that the parameters of a configuration tell of', () => {
    const parameters = { labels: { string_value: 'no, maybe,yes' }, activation: { string_value: 'sigmoid' } };
    expect(found({ ...model(['text STRING 1'], ['out FP32 3']), parameters })).toEqual([
      'classify',
      'text',
      8,
      3,
      'sigmoid',
      ['no', 'maybe', 'yes'],
    ]);
    const other = { activation: { string_value: 'gelu' } };
    expect(found({ ...model(['text STRING 1'], ['out FP32 3']), parameters: other })).toBeUndefined();
  });

  it('lets what is set for classes come first', () => {
    const parameters = { labels: { string_value: 'a,b' }, activation: { string_value: 'sigmoid' } };
    const config = { ...model(ids, ['logits FP32 2', 'last_hidden_state FP32 -1,384']), parameters };
    const classify = { labels: ['low', 'high'], activation: 'none' } as const;
    expect(found(config, { classify })).toEqual(['classify', 'ids', 8, 2, 'none', ['low', 'high']]);
    expect(found(config, { classify: { output: 'last_hidden_state' } })).toBe(
      'it is set to classify, which does not fit its tensors',
    );
    expect(found(config, { classify: { output: 'logit' } })).toBe(
      'classify.output is set to logit, but it has no output of this name; it has logits, last_hidden_state',
    );
    expect(found(config, { classify: { labels: ['one'] } })).toBe('it sorts texts into 2 classes, but has 1 labels');
  });

  it('finds all that a model can do', () => {
    const can = (config: ModelConfig, settings = {}) => Object.keys(detectRows(config, settings).rows);
    const two = model(ids, ['logits FP32 2']);
    expect(can(two)).toEqual(['rerank', 'classify']);
    expect(can(two, { rerank: {} })).toEqual(['rerank']);
    expect(can(model(ids, ['logits FP32 3', 'last_hidden_state FP32 -1,384']))).toEqual(['classify', 'embedding']);
    expect(can(model(ids, ['logits FP32 1', 'last_hidden_state FP32 -1,384']))).toEqual(['rerank']);
  });
});

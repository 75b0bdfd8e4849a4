import { describe, expect, it } from 'vitest';
import { PlayedInference } from '../../test/support/played-inference.ts';
import { detectRows } from '../contracts/detect-rows.ts';
import type { EmbeddingSettings } from '../contracts/row-settings.ts';
import { LocalResponse } from '../kserve/local-response.ts';
import type { InferenceServer, InferRequest, ResponseSink } from '../kserve/server.ts';
import type { ServerGroup } from '../kserve/server-group.ts';
import { numberTensor } from '../kserve/tensors.ts';
import type { NamedModel } from '../models/served-model.ts';
import { noWatch } from '../request-watch.ts';
import { embed } from './embedding.ts';

type Vectors = readonly (readonly number[])[];

/** A model that takes a text and returns these vectors, one for each remaining token. */
/** A group of one server. */
function streamOn(server: InferenceServer): ServerGroup['stream'] {
  return (begin, sink) => begin(server, { timeout: undefined }, sink);
}

const textModel = (settings: EmbeddingSettings, vectors: Vectors) => modelOf('STRING', settings, vectors);

function modelOf(type: 'STRING' | 'INT64', settings: EmbeddingSettings, vectors: Vectors): NamedModel {
  const { rows } = detectRows(
    {
      name: 'm',
      platform: '',
      backend: 'python',
      max_batch_size: 8,
      input: [{ name: type === 'STRING' ? 'TEXT' : 'input_ids', data_type: `TYPE_${type}`, dims: [1] }],
      output: [{ name: 'last_hidden_state', data_type: 'TYPE_FP32', dims: [-1, 2] }],
      parameters: {},
    },
    { embedding: { normalize: false, ...settings } },
  );
  const values = vectors.flat();
  const output = numberTensor('last_hidden_state', { datatype: 'FP32', values, shape: [1, vectors.length, 2] });
  const stream = ({ model, id }: InferRequest, sink: ResponseSink) =>
    new PlayedInference(sink, {
      responses: [new LocalResponse({ model, version: '1', id, outputs: [output], final: true })],
    });
  const tokenizer = { count: () => Promise.resolve(8), encode: () => Promise.resolve(new Int32Array()) };
  return {
    name: 'm',
    rows,
    group: { stream: streamOn({ stream } as unknown as InferenceServer) },
    assets: () => Promise.resolve({ tokenizer }),
    contextLength: () => undefined,
  } as unknown as NamedModel;
}

const ask = (model: NamedModel) =>
  embed(
    { model: 'm', input: { items: ['a text'], isList: false }, dimensions: null },
    { findModel: () => model, watch: noWatch, timeout: undefined },
    new AbortController().signal,
  );

describe('embed', () => {
  it.each([
    ['mean', [4, 5]],
    ['cls', [1, 2]],
    ['last', [8, 9]],
  ] as const)(
    'pools the vectors that a model gives of a text, however many tokens are counted: %s',
    async (pooling, vector) => {
      const model = textModel({ pooling }, [
        [1, 2],
        [3, 4],
        [8, 9],
      ]);
      expect(await ask(model)).toEqual({ vectors: [Float32Array.from(vector)], promptTokens: 8 });
    },
  );

  it('gives no vector where there is none of a token', async () => {
    await expect(ask(textModel({ pooling: 'last' }, []))).rejects.toThrow(
      'input: the model returned last_hidden_state of shape [1, 0, 2] for 1 texts.',
    );
    const model = modelOf('INT64', { pooling: 'last' }, [
      [1, 2],
      [3, 4],
    ]);
    await expect(ask(model)).rejects.toThrow('input: its vector has 0 values, not 2.');
  });
});

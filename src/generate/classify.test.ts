import { describe, expect, it } from 'vitest';
import { PlayedInference } from '../../test/support/played-inference.ts';
import { detectRows } from '../contracts/detect-rows.ts';
import type { InferRequest, ResponseSink } from '../kserve/server.ts';
import { readTexts, textTensor } from '../kserve/tensors.ts';
import type { NamedModel } from '../models/served-model.ts';
import { noWatch } from '../request-watch.ts';
import { classify } from './classify.ts';

const { signal } = new AbortController();
const labels = ['1:1:so: so', '0:2:glad', '-1:0:sad'];

/** A model whose texts are its figures; its server sends these classes where they are requested. */
function classifier(classes: readonly string[] | undefined, dims = [3], parameters = {}) {
  const { rows } = detectRows(
    {
      name: 'm',
      platform: '',
      backend: 'python',
      max_batch_size: 8,
      input: [{ name: 'text', data_type: 'TYPE_STRING', dims: [1] }],
      output: [{ name: 'logits', data_type: 'TYPE_FP32', dims, ...(classes ? { label_filename: 'l.txt' } : {}) }],
      parameters,
    },
    {},
  );
  const sent: InferRequest[] = [];
  const server = {
    name: 's',
    stream: (request: InferRequest, sink: ResponseSink) => {
      sent.push(request);
      const figures = readTexts(request.inputs[0]?.data ?? Buffer.alloc(0)).map((text) => text.split(' ').map(Number));
      const data = request.classes
        ? textTensor('logits', classes ?? []).data
        : Buffer.from(Float32Array.from(figures.flat()).buffer);
      const shape = [figures.length, figures[0]?.length ?? 0];
      const outputs = [{ name: 'logits', datatype: request.classes ? 'BYTES' : 'FP32', shape }];
      const response = { outputs, raw: () => data, detached: () => response };
      return new PlayedInference(sink, { responses: [response] });
    },
  };
  const model = {
    name: 'm',
    model: 'm',
    version: '1',
    rows,
    assets: async () => ({}),
    contextLength: () => undefined,
    group: {
      stream: (begin: (to: typeof server, options: object, sink: ResponseSink) => unknown, sink: ResponseSink) =>
        begin(server, {}, sink),
    },
  } as unknown as NamedModel;
  const context = { findModel: () => model, watch: noWatch, timeout: undefined };
  const labelsOf = async (...items: string[]) =>
    (await classify({ model: 'm', input: { items, isList: true } }, context, signal)).classes.map(({ label }) => label);
  return { labelsOf, requested: () => sent.map(({ classes: expected, inputs }) => [expected, inputs[0]?.shape]) };
}

describe('classify', () => {
  it("requests the labels of the server's file once, with the first text", async () => {
    const { labelsOf, requested } = classifier(labels);
    expect(await labelsOf('0 9 0', '0 0 9')).toEqual(['so: so', 'glad']);
    expect(await labelsOf('9 0 0')).toEqual(['sad']);
    expect(requested()).toEqual([
      [3, [1, 1]],
      [undefined, [2, 1]],
      [undefined, [1, 1]],
    ]);
  });

  it('requests all labels where the number of classes is unknown', async () => {
    const { labelsOf, requested } = classifier(labels, [-1]);
    expect(await labelsOf('0 0 9')).toEqual(['glad']);
    expect(requested()[0]).toEqual([1_000_000, [1, 1]]);
  });

  it('counts classes that the file does not name', async () => {
    const { labelsOf } = classifier(['9:0:sad', '0:1', 'nonsense']);
    expect(await labelsOf('9 0 0', '0 9 0', '0 0 9')).toEqual(['sad', 'LABEL_1', 'LABEL_2']);
  });

  it('requests no labels where the configuration has them, or there is no file', async () => {
    const named = classifier(labels, [3], { labels: { string_value: 'a,b,c' } });
    expect([await named.labelsOf('0 0 9'), named.requested()]).toEqual([['c'], [[undefined, [1, 1]]]]);
    const unnamed = classifier(undefined);
    expect([await unnamed.labelsOf('0 0 9'), unnamed.requested()]).toEqual([['LABEL_2'], [[undefined, [1, 1]]]]);
  });

  it('names the text that the model fails for', async () => {
    await expect(classifier(labels).labelsOf('0 9 0', '0 x 9')).rejects.toMatchObject({
      code: 'backend_error',
      message: 'input[1]: the model returned values that are not finite (NaN or infinity).',
    });
  });
});

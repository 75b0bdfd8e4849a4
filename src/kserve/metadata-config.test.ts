import { describe, expect, it } from 'vitest';
import { configOfMetadata } from './metadata-config.ts';

const metadata = { name: 'm', versions: ['1'], platform: 'dynamo' };
const shared = { name: 'm', platform: 'dynamo', backend: '', parameters: {} };

describe('configOfMetadata', () => {
  it('has the tensors of the metadata, with the datatypes of configurations', () => {
    const inputs = [
      { name: 'text_input', datatype: 'BYTES', shape: [1] },
      { name: 'streaming', datatype: 'BOOL', shape: [1] },
    ];
    const outputs = [{ name: 'ids', datatype: 'INT64', shape: [-1] }];
    expect(configOfMetadata({ ...metadata, inputs, outputs })).toEqual({
      ...shared,
      max_batch_size: 0,
      input: [
        { name: 'text_input', data_type: 'TYPE_STRING', dims: [1] },
        { name: 'streaming', data_type: 'TYPE_BOOL', dims: [1] },
      ],
      output: [{ name: 'ids', data_type: 'TYPE_INT64', dims: [-1] }],
      model_transaction_policy: { decoupled: true },
    });
  });

  it('leaves datatypes that are those of configurations as they are', () => {
    const inputs = [{ name: 'x', datatype: 'TYPE_STRING', shape: [1] }];
    const { input } = configOfMetadata({ ...metadata, inputs, outputs: [] });
    expect(input).toEqual([{ name: 'x', data_type: 'TYPE_STRING', dims: [1] }]);
  });

  it('recognizes the batch dimension of a model that takes text', () => {
    const inputs = [
      { name: 'text_input', datatype: 'BYTES', shape: [-1, 1] },
      { name: 'max_tokens', datatype: 'INT32', shape: [-1, 1] },
    ];
    const outputs = [{ name: 'text_output', datatype: 'BYTES', shape: [-1, -1] }];
    expect(configOfMetadata({ ...metadata, inputs, outputs })).toMatchObject({
      max_batch_size: 1,
      input: [{ dims: [1] }, { dims: [1] }],
      output: [{ dims: [-1] }],
      model_transaction_policy: { decoupled: false },
    });
  });

  it('takes two variable dimensions of numbers as they are', () => {
    const inputs = [{ name: 'input_ids', datatype: 'INT64', shape: [-1, -1] }];
    const outputs = [{ name: 'embedding', datatype: 'FP32', shape: [-1, 384] }];
    expect(configOfMetadata({ ...metadata, inputs, outputs })).toMatchObject({
      max_batch_size: 0,
      input: [{ dims: [-1, -1] }],
      output: [{ dims: [-1, 384] }],
    });
  });
});

import { describe, expect, it } from 'vitest';
import { protocol } from './control-codec.ts';
import { WireRequest } from './infer-request-codec.ts';
import { encodeInferRequest, makeRequest } from './infer-request-writer.ts';

function wire(message: object): WireRequest {
  const type = protocol().lookupType('inference.ModelInferRequest');
  return new WireRequest(Buffer.from(type.encode(type.fromObject({ model_name: 'm', ...message })).finish()));
}

const input = (datatype: string, contents?: object) => ({
  name: 'IN',
  datatype,
  shape: [2],
  ...(contents && { contents }),
});

describe('WireRequest', () => {
  it('shows all that a request says, and keeps its bytes', () => {
    const request = wire({
      model_version: '3',
      id: 'ä',
      parameters: {
        yes: { bool_param: true },
        whole: { int64_param: -5 },
        part: { double_param: 0.5 },
        word: { string_param: 'w' },
      },
      inputs: [input('INT32'), { ...input('BYTES'), name: 'TEXT' }],
      outputs: [{ name: 'OUT' }],
      raw_input_contents: [Buffer.from([1, 2]), Buffer.from([3])],
    });
    expect(request).toMatchObject({ model: 'm', version: '3', id: 'ä', outputs: ['OUT'] });
    expect(request.parameters).toEqual({ yes: true, whole: -5, part: 0.5, word: 'w' });
    expect(request.inputs).toEqual([
      { name: 'IN', datatype: 'INT32', shape: [2], data: Buffer.from([1, 2]) },
      { name: 'TEXT', datatype: 'BYTES', shape: [2], data: Buffer.from([3]) },
    ]);
    expect(encodeInferRequest(request)).toBe(request.wire);
  });

  it.each([
    ['BOOL', { bool_contents: [true, false] }, '0100'],
    ['INT8', { int_contents: [-1, 2] }, 'ff02'],
    ['INT16', { int_contents: [-1, 2] }, 'ffff0200'],
    ['INT32', { int_contents: [-1, 2] }, 'ffffffff02000000'],
    ['UINT32', { uint_contents: [4294967295] }, 'ffffffff'],
    ['INT64', { int64_contents: [-2] }, 'feffffffffffffff'],
    ['UINT64', { uint64_contents: [258] }, '0201000000000000'],
    ['FP32', { fp32_contents: [0.5] }, '0000003f'],
    ['FP64', { fp64_contents: [-0.25] }, '000000000000d0bf'],
    ['BYTES', { bytes_contents: [Buffer.from('ab'), Buffer.alloc(0)] }, '02000000616200000000'],
  ])('brings typed contents of %s into raw form', (datatype, contents, expected) => {
    expect(wire({ inputs: [input(datatype, contents)] }).inputs[0]?.data.toString('hex')).toBe(expected);
  });

  it.each([
    [
      { inputs: [input('INT32', { int64_contents: [1] })] },
      "unexpected explicit tensor data for input tensor 'IN' for model 'm' of type 'INT64', expected datatype 'INT32'",
    ],
    [
      { inputs: [input('INT32', { int_contents: [1], int64_contents: [1] })] },
      "unexpected explicit tensor data for input tensor 'IN' for model 'm', binary data was already supplied.",
    ],
    [
      { inputs: [input('INT32', { int_contents: [1] })], raw_input_contents: [Buffer.alloc(4)] },
      "contents field must not be specified when using raw_input_contents for 'IN' for model 'm'",
    ],
    [{ inputs: [input('INT32')] }, "unable to find data for input tensor 'IN' for model 'm' in request."],
  ])('refuses in the words of Triton what does not fit together', (message, reason) => {
    const request = wire(message);
    expect(() => request.inputs).toThrow(reason);
  });

  it('says of other bytes that they are no request', () => {
    expect(() => new WireRequest(Buffer.of(0xff, 0xff))).toThrow('Unable to parse request');
  });
});

describe('makeRequest', () => {
  it('writes every kind of parameter, tensors in shared memory and requested classes', () => {
    const request = makeRequest({
      model: 'm',
      version: '1',
      id: 'i',
      parameters: [
        ['large', { kind: 'int64', value: 9007199254740993n }],
        ['first', { kind: 'uint64', value: 18446744073709551615n }],
        ['whole', { kind: 'double', value: 1 }],
      ],
      inputs: [
        {
          name: 'A',
          datatype: 'INT32',
          shape: [1],
          data: undefined,
          parameters: [['shared_memory_region', { kind: 'string', value: 'r' }]],
        },
        { name: 'B', datatype: 'INT32', shape: [1], data: Buffer.from([1, 0, 0, 0]), parameters: [] },
      ],
      outputs: [{ name: 'C', parameters: [['classification', { kind: 'int64', value: 2 }]] }],
    });
    const type = protocol().lookupType('inference.ModelInferRequest');
    expect(type.toObject(type.decode(request.wire), { longs: String, bytes: Array })).toEqual({
      model_name: 'm',
      model_version: '1',
      id: 'i',
      parameters: {
        large: { int64_param: '9007199254740993' },
        first: { uint64_param: '18446744073709551615' },
        whole: { double_param: 1 },
      },
      inputs: [
        { name: 'A', datatype: 'INT32', shape: ['1'], parameters: { shared_memory_region: { string_param: 'r' } } },
        { name: 'B', datatype: 'INT32', shape: ['1'] },
      ],
      outputs: [{ name: 'C', parameters: { classification: { int64_param: '2' } } }],
      raw_input_contents: [[1, 0, 0, 0]],
    });
    expect(() => request.inputs).toThrow(/shared memory/);
  });
});

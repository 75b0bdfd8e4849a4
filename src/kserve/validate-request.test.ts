import { describe, expect, it } from 'vitest';
import { LocalResponse } from './local-response.ts';
import type { ModelConfig } from './messages.ts';
import { boolTensor, type Tensor, textTensor } from './tensors.ts';
import { validateRequest } from './validate-request.ts';

const config: ModelConfig = {
  name: 'toy',
  platform: '',
  backend: '',
  max_batch_size: 0,
  input: [
    { name: 'text_input', data_type: 'TYPE_STRING', dims: [1] },
    { name: 'stream', data_type: 'TYPE_BOOL', dims: [1], optional: true },
    { name: 'image', data_type: 'TYPE_STRING', dims: [-1], optional: true },
  ],
  output: [{ name: 'text_output', data_type: 'TYPE_STRING', dims: [-1] }],
  parameters: {},
};

const prompt = textTensor('text_input', ['a']);

describe('validateRequest, in the words of tritonserver 2.51', () => {
  const check = (inputs: readonly Tensor[], outputs?: readonly string[]) => () =>
    validateRequest({ model: 'toy', id: 'x', inputs, ...(outputs ? { outputs } : {}) }, config);

  it('lets a good request through', () => {
    expect(check([prompt])).not.toThrow();
    expect(check([prompt, boolTensor('stream', true), textTensor('image', ['a', 'b'])], ['text_output'])).not.toThrow();
    expect(check([boolTensor('stream', true)])).not.toThrow();
  });

  it.each<[string, readonly Tensor[], string]>([
    ['a repeated input', [prompt, prompt], "[request id: x] input 'text_input' already exists in request"],
    ['an unexpected input', [prompt, textTensor('foo', ['x'])], "unexpected inference input 'foo' for model 'toy'"],
    [
      'a wrong type',
      [boolTensor('text_input', true)],
      "[request id: x] inference input 'text_input' data-type is 'BOOL', but model 'toy' expects 'BYTES'",
    ],
    [
      'an unknown type',
      [{ ...prompt, datatype: 'STR' as Tensor['datatype'] }],
      "[request id: x] inference input 'text_input' data-type is '<invalid>', but model 'toy' expects 'BYTES'",
    ],
    [
      'a wrong shape',
      [textTensor('text_input', ['a', 'b'])],
      "[request id: x] unexpected shape for input 'text_input' for model 'toy'. Expected [1], got [2]. ",
    ],
    [
      'a wrong rank',
      [textTensor('text_input', ['a'], [1, 1])],
      "[request id: x] unexpected shape for input 'text_input' for model 'toy'. Expected [1], got [1,1]. ",
    ],
    [
      'an open shape',
      [{ ...prompt, shape: [-1] }],
      "[request id: x] All input dimensions should be specified for input 'text_input' for model 'toy', got [-1]",
    ],
    [
      'too many texts',
      [{ ...textTensor('text_input', ['a', 'b']), shape: [1] }],
      "[request id: x] unexpected number of string elements 2 for inference input 'text_input' for model 'toy', expecting 1",
    ],
    [
      'half a text',
      [{ ...prompt, data: Buffer.from([5, 0, 0, 0, 104, 101]) }],
      "incomplete string data for inference input 'text_input', expecting string of length 5 but only 2 bytes available",
    ],
    [
      'too many bytes',
      [prompt, { ...boolTensor('stream', true), data: Buffer.of(1, 1) }],
      "[request id: x] input byte size mismatch for input 'stream' for model 'toy'. Expected 1, got 2",
    ],
    [
      'no input at all',
      [],
      "[request id: x] expected number of inputs between 1 and 3 but got 0 inputs for model 'toy'. Got input(s) [], but missing required input(s) ['text_input']. Please provide all required input(s).",
    ],
  ])('refuses %s', (_, inputs, message) => {
    expect(check(inputs)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', message }));
  });

  it('refuses an unexpected output', () => {
    expect(check([prompt], ['zzz'])).toThrow("unexpected inference output 'zzz' for model 'toy'");
  });

  it('leaves the batch dimension to models that have one', () => {
    const batched = { ...config, max_batch_size: 8 };
    const request = { model: 'toy', id: '', inputs: [textTensor('text_input', ['a', 'b'], [2, 1])] };
    validateRequest(request, batched);
    expect(() => validateRequest({ ...request, inputs: [prompt] }, batched)).toThrow('Expected [-1,1], got [1]');
  });
});

describe('LocalResponse', () => {
  it('reads as one that came over the wire', () => {
    const outputs = [
      textTensor('text_output', ['hello']),
      { name: 'n', datatype: 'UINT32', shape: [], data: Buffer.of(7, 0, 0, 0) } as Tensor,
    ];
    const response = new LocalResponse({ model: 'm', version: '1', id: 'i', outputs, final: true });
    expect(response.text('text_output')).toBe('hello');
    expect(response.uint32('n')).toBe(7);
    expect(response.text('none')).toBeUndefined();
    expect(response.uint32('none')).toBeUndefined();
    expect(response.parameters).toEqual({ triton_final_response: true });
  });
});

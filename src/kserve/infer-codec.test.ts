import { describe, expect, it } from 'vitest';
import { protocol } from './control-codec.ts';
import { decodeInferResponse, StreamError, StreamResponseDecoder } from './infer-codec.ts';
import { encodeInferRequest } from './infer-request-writer.ts';
import { boolTensor, readText, readTexts, textTensor } from './tensors.ts';

const streamResponse = () => protocol().lookupType('inference.ModelStreamInferResponse');

function encoded(message: object): Buffer {
  const type = streamResponse();
  return Buffer.from(type.encode(type.fromObject(message)).finish());
}

/** Decodes a message that stands between other bytes. */
function decode(decoder: StreamResponseDecoder, message: Buffer) {
  const around = Buffer.concat([Buffer.of(0xff), message, Buffer.of(0xff)]);
  return decoder.decode(around, 1, 1 + message.length);
}

function tokenMessage(text: string, isFinal = false): object {
  return {
    infer_response: {
      model_name: 'toy',
      model_version: '1',
      id: 'r-1',
      parameters: { triton_final_response: { bool_param: isFinal } },
      outputs: [
        { name: 'text_output', datatype: 'BYTES', shape: [1] },
        { name: 'num_input_tokens', datatype: 'UINT32', shape: [] },
      ],
      raw_output_contents: [textTensor('', [text]).data, Buffer.of(7, 0, 0, 0)],
    },
  };
}

describe('encodeInferRequest', () => {
  it('writes what the protocol reads back', () => {
    const bytes = encodeInferRequest({
      model: 'toy',
      version: '3',
      id: 'r-1',
      parameters: { flag: true, whole: -5, part: 0.5, word: 'ü' },
      inputs: [textTensor('text_input', ['Grüße 🐚', '']), boolTensor('stream', true)],
      outputs: ['text_output'],
    });
    const type = protocol().lookupType('inference.ModelInferRequest');
    expect(type.toObject(type.decode(bytes), { longs: Number, bytes: Array })).toEqual({
      model_name: 'toy',
      model_version: '3',
      id: 'r-1',
      parameters: {
        flag: { bool_param: true },
        whole: { int64_param: -5 },
        part: { double_param: 0.5 },
        word: { string_param: 'ü' },
      },
      inputs: [
        { name: 'text_input', datatype: 'BYTES', shape: [2] },
        { name: 'stream', datatype: 'BOOL', shape: [1] },
      ],
      outputs: [{ name: 'text_output' }],
      raw_input_contents: [[12, 0, 0, 0, ...Buffer.from('Grüße 🐚'), 0, 0, 0, 0], [1]],
    });
  });

  it('asks for classes of each output', () => {
    const type = protocol().lookupType('inference.ModelInferRequest');
    const bytes = encodeInferRequest({ model: 'toy', id: 'r-1', inputs: [], outputs: ['a', 'b'], classes: 3 });
    const parameters = { classification: { int64_param: 3 } };
    expect(type.toObject(type.decode(bytes), { longs: Number })['outputs']).toEqual([
      { name: 'a', parameters },
      { name: 'b', parameters },
    ]);
  });
});

describe('StreamResponseDecoder', () => {
  it('reads every response of a stream, the repeated head included', () => {
    const decoder = new StreamResponseDecoder();
    const seen = ['a', 'ü🐚', '', 'end'].map((text, index) => {
      const response = decode(decoder, encoded(tokenMessage(text, index === 3)));
      return {
        text: response.text('text_output'),
        raw: readText(response.raw('text_output') as Buffer) === response.text('text_output'),
        count: response.uint32('num_input_tokens'),
        final: response.final,
        shapes: response.outputs.map(({ name, shape }) => [name, shape]),
        id: response.id,
        model: response.model,
        version: response.version,
        missing: [response.raw('logprobs'), response.text('logprobs'), response.uint32('logprobs')],
      };
    });
    const always = {
      raw: true,
      count: 7,
      shapes: [
        ['text_output', [1]],
        ['num_input_tokens', []],
      ],
      id: 'r-1',
      model: 'toy',
      version: '1',
      missing: [undefined, undefined, undefined],
    };
    expect(seen).toEqual([
      { text: 'a', final: false, ...always },
      { text: 'ü🐚', final: false, ...always },
      { text: '', final: false, ...always },
      { text: 'end', final: true, ...always },
    ]);
  });

  it('reads responses without the envelope of a stream, as MLServer sends them', () => {
    const type = protocol().lookupType('inference.ModelInferResponse');
    const bare = (text: string): Buffer => {
      const { infer_response: response } = tokenMessage(text) as { infer_response: object };
      return Buffer.from(type.encode(type.fromObject({ ...response, parameters: {} })).finish());
    };
    const decoder = new StreamResponseDecoder('r-1');
    const seen = ['a', 'ü🐚', ''].map((text) => {
      const message = bare(text);
      const response = decode(decoder, message);
      const { model, version, id, final } = response;
      const isWhole = Buffer.from(response.wire ?? []).equals(message);
      return [model, version, id, final, response.text('text_output'), response.uint32('num_input_tokens'), isWhole];
    });
    expect(seen).toEqual(['a', 'ü🐚', ''].map((text) => ['toy', '1', 'r-1', false, text, 7, true]));
    const cut = bare('text').subarray(0, -1);
    expect(() => decode(decoder, cut)).toThrow('invalid protobuf message');
  });

  it('notices a head that continues where the known one ended', () => {
    const decoder = new StreamResponseDecoder();
    const short = { infer_response: { model_name: 'toy', id: 'r-1' } };
    expect(decode(decoder, encoded(short)).final).toBe(false);
    const longer = {
      infer_response: { model_name: 'toy', id: 'r-1', parameters: { triton_final_response: { bool_param: true } } },
    };
    expect(decode(decoder, encoded(longer)).final).toBe(true);
  });

  it('throws the error of a response with the id of its request', () => {
    const message = encoded({
      error_message: 'it broke',
      infer_response: { id: 'r-9', parameters: { triton_final_response: { bool_param: true } } },
    });
    const error = catchError(() => decode(new StreamResponseDecoder(), message));
    expect(error).toBeInstanceOf(StreamError);
    expect(error).toMatchObject({ message: 'it broke', requestId: 'r-9', final: true });
  });

  it('refuses a response that names another request; one that names none is taken', () => {
    const decoder = new StreamResponseDecoder('r-1');
    const of = (id: string) => encoded({ infer_response: { model_name: 'toy', id } });
    expect(decode(decoder, of('r-1')).id).toBe('r-1');
    expect(decode(decoder, of('')).id).toBe('');
    expect(catchError(() => decode(decoder, of('r-2')))).toMatchObject({
      code: 'INTERNAL',
      message: 'The server sent a response for another request.',
    });
  });

  it('refuses a message that is cut anywhere inside a field', () => {
    const whole = encoded(tokenMessage('text'));
    for (let end = 1; end < whole.length; end++)
      expect(() => decode(new StreamResponseDecoder(), whole.subarray(0, end)), `cut at ${end}`).toThrow(
        'invalid protobuf message',
      );
  });

  it('refuses a length that leads backwards', () => {
    for (let back = 1; back <= 11; back++) {
      const length = Buffer.of(0x100 - back, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01);
      for (const tag of [0x0a, 0x12, 0x7a])
        expect(() => decode(new StreamResponseDecoder(), Buffer.of(tag, ...length))).toThrow(
          'invalid protobuf message',
        );
    }
  });

  it('reads parameters of every kind', () => {
    const type = protocol().lookupType('inference.ModelInferResponse');
    const parameters = {
      yes: { bool_param: true },
      negative: { int64_param: -3 },
      unsigned: { uint64_param: 4 },
      ratio: { double_param: -0.25 },
      word: { string_param: 'conch' },
    };
    const bytes = Buffer.from(type.encode(type.fromObject({ parameters })).finish());
    expect(decodeInferResponse(bytes).parameters).toEqual({
      yes: true,
      negative: -3,
      unsigned: 4,
      ratio: -0.25,
      word: 'conch',
    });
  });
});

describe('BYTES tensors', () => {
  it('give back the texts that they were made of', () => {
    const texts = ['', 'plain', 'ü🐚\n'];
    const tensor = textTensor('t', texts);
    expect(tensor.shape).toEqual([3]);
    expect(readTexts(tensor.data)).toEqual(texts);
    expect(readText(tensor.data)).toBe('');
    expect(readText(Buffer.alloc(0))).toBe('');
  });
});

function catchError(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

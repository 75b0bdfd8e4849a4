import { expect, it } from 'vitest';
import { decodeInferResponse, StreamError, StreamResponseDecoder } from './infer-codec.ts';
import {
  encodeInferResponse,
  encodeStreamEnd,
  encodeStreamFailure,
  encodeStreamRefusal,
  encodeStreamResponse,
  encodeUnaryResponse,
} from './infer-response-codec.ts';
import { LocalResponse } from './local-response.ts';
import { textTensor } from './tensors.ts';

const local = new LocalResponse({
  model: 'm',
  version: '2',
  id: 'ä',
  final: true,
  outputs: [textTensor('text_output', ['Grüße'])],
});
const requested = { model: 'm', version: '', id: 'r' };

function decode(bytes: Uint8Array) {
  return new StreamResponseDecoder().decode(Buffer.from(bytes), 0, bytes.length);
}

it('writes a response of this process as the protocol has it, and passes on one that came over a wire', () => {
  const read = decode(encodeStreamResponse(local));
  expect(read).toMatchObject({ model: 'm', version: '2', id: 'ä', final: true });
  expect(read.text('text_output')).toBe('Grüße');
  expect(encodeInferResponse(read)).toEqual(encodeInferResponse(local));
  expect(encodeStreamResponse(read)).toEqual(encodeStreamResponse(local));
});

it('leaves the final flag out of unary responses', () => {
  const read = decodeInferResponse(Buffer.from(encodeUnaryResponse(local)));
  expect(read.parameters).toEqual({});
  expect(read.text('text_output')).toBe('Grüße');
});

it('says whether a request failed or was never begun', () => {
  const fail = (bytes: Uint8Array): StreamError => {
    try {
      decode(bytes);
    } catch (error) {
      if (error instanceof StreamError) return error;
    }
    throw new Error('no fault');
  };
  expect(fail(encodeStreamRefusal('no', requested))).toMatchObject({ message: 'no', requestId: 'r', final: false });
  expect(fail(encodeStreamFailure('broke', requested))).toMatchObject({
    message: 'broke',
    requestId: 'r',
    final: true,
  });
  expect(decode(encodeStreamEnd(requested))).toMatchObject({ model: 'm', id: 'r', final: true, outputs: [] });
});

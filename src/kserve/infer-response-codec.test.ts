import { expect, it } from 'vitest';
import { decodeInferResponse, StreamFault, StreamResponseDecoder } from './infer-codec.ts';
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
const asked = { model: 'm', version: '', id: 'r' };

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
  const fault = (bytes: Uint8Array): StreamFault => {
    try {
      decode(bytes);
    } catch (error) {
      if (error instanceof StreamFault) return error;
    }
    throw new Error('no fault');
  };
  expect(fault(encodeStreamRefusal('no', asked))).toMatchObject({ message: 'no', requestId: 'r', final: false });
  expect(fault(encodeStreamFailure('broke', asked))).toMatchObject({ message: 'broke', requestId: 'r', final: true });
  expect(decode(encodeStreamEnd(asked))).toMatchObject({ model: 'm', id: 'r', final: true, outputs: [] });
});

import http2 from 'node:http2';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { frame } from '../../src/kserve/grpc-frames.ts';
import { begin, countOf, textsOf, user } from '../gateway/requests.ts';
import { respond, tcpServer } from '../grpc/scripted-server.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post } from '../support/gateway.ts';
import { type BrokenTriton, brokenTriton, type Fail } from './failing-triton.ts';

let triton: BrokenTriton;
let conch: Conch;
const flagsFor = (port: number) => ['--triton', `127.0.0.1:${port}`, '--tokenizer', tokenizerFolder('qwen3')];
beforeAll(async () => {
  triton = await brokenTriton(inject('triton').grpcPort);
  conch = await startConch({ flags: [...flagsFor(triton.port), '--max-message-size', '1000000'] });
});
afterAll(async () => {
  await conch.stop();
  triton.close();
});

const { constants } = http2;
const ok = { 'grpc-status': '0' };
const failure = (code: string, message: string) => ({ error: { message, type: 'server_error', param: null, code } });
const unreachable = failure('server_unreachable', 'The server of this model is unreachable.');
const failed = (text: string) => failure('backend_error', `The backend failed: ${text}`);

/** A call that begins as it should: what follows the first response is the fault. */
const after =
  (fail: Fail): Fail =>
  (stream, first, socket) => {
    respond(stream, ok);
    stream.write(first);
    // The answer to a ping shows that what was sent before it has arrived.
    stream.session?.ping(() => fail(stream, first, socket));
  };

const errors: [string, Fail, ReturnType<typeof failure>][] = [
  [
    'resets the connection inside a message',
    after((stream, first, socket) => stream.write(first.subarray(0, -3), () => socket.resetAndDestroy())),
    unreachable,
  ],
  ['closes the connection between messages', after((_stream, _first, socket) => socket.destroy()), unreachable],
  [
    'resets the call',
    after((stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR)),
    failed('The server reset the call (HTTP/2 error code 2).'),
  ],
  [
    'says goodbye with an error',
    after((stream) => stream.session?.goaway(constants.NGHTTP2_INTERNAL_ERROR)),
    unreachable,
  ],
  [
    'sends frames that are none of HTTP/2',
    after((_stream, _first, socket) => socket.write(Buffer.alloc(4096, 0xf7))),
    unreachable,
  ],
  [
    'sends bytes that are no message',
    after((stream) => stream.write(frame(Buffer.of(0x0a, 0x7f)))),
    failed('The server sent an invalid protobuf message.'),
  ],
  [
    'announces a message that is too large',
    after((stream) => stream.write(Buffer.of(0, 0x3f, 0xff, 0xff, 0xff, 1, 2, 3))),
    failed('The server sent a message of 1073741823 bytes, more than the 1000000 allowed.'),
  ],
  [
    'answers another request',
    after((stream) => stream.write(frame(Buffer.of(0x12, 0x05, 0x1a, 0x03, ...Buffer.from('foo'))))),
    failed('The server sent a response for another request.'),
  ],
  [
    'ends inside a message',
    after((stream, first) => stream.end(first.subarray(0, -3))),
    failed('The server ended the call inside a message.'),
  ],
  [
    'ends without a status',
    (stream, first) => {
      respond(stream, { 'x-other': 'thing' });
      stream.end(first);
    },
    failed('The server ended the call without a status.'),
  ],
  [
    'ends before the answer does',
    after((stream) => stream.end()),
    failure('backend_error', 'The backend ended the response without finishing it.'),
  ],
  [
    'ends with a status of its own',
    (stream, first) => {
      respond(stream, { 'grpc-status': '13', 'grpc-message': 'out of everything' });
      stream.end(first);
    },
    failed('out of everything'),
  ],
];

const path = () => `${conch.url}/v1/chat/completions`;
const healthy = async (): Promise<void> => {
  const response = await post(path(), { model: 'vllm-toy', messages: user(directive({ answer: 'fine' })) });
  expect({ status: response.status, texts: textsOf(response) }).toEqual({ status: 200, texts: ['fine'] });
};

describe('a server that', () => {
  it.each(errors)(
    '%s in the middle of a stream is an error frame, and the next request is answered',
    async (_, fail, expected) => {
      triton.fail(fail);
      const messages = user(directive({ tokens: 9, hold_at: 1 }));
      const response = await post(path(), { model: 'vllm-toy', messages, stream: true });
      const events = eventsOf(response.text) as { choices?: { delta: { content?: string } }[] }[];
      expect(response.status).toBe(200);
      expect(events.at(-1)).toEqual(expected);
      expect(events.slice(0, -1).map(({ choices }) => choices?.[0]?.delta.content ?? '')).toEqual(['', ' w1']);
      await healthy();
    },
  );

  it.each(errors)('%s in the middle of an unstreamed answer has it begun again', async (_, fail, expected) => {
    triton.fail(fail);
    // The stop text makes it an answer that is read as it comes.
    const messages = user(directive({ tokens: 3, delay_ms: 100 }));
    const body = { model: 'vllm-toy', messages, tools: [], stop: ['never'] };
    const { status, body: response } = await post(path(), body);
    // A message that is too large would be so again.
    const isValueUp = expected.error.message.includes('more than the 1000000 allowed');
    const whole = { choices: [{ message: { content: ' w1 w2 w3' }, finish_reason: 'stop' }] };
    expect({ status, answer: response }).toMatchObject(
      isValueUp ? { status: 502, answer: expected } : { status: 200, answer: whole },
    );
  });
});

describe('a server whose connection breaks while Conch looks at its models', () => {
  it('keeps them: the look is repeated on a new connection', async () => {
    await triton.breakIndexCalls(2);
    await healthy();
    expect(conch.log().filter(({ message }) => String(message).includes('is unreachable'))).toEqual([]);
  });
});

describe('a server that never answers', () => {
  it('a call is a 504 when the time of the request is over, and the inference is left', async () => {
    const short = await startConch({ flags: [...flagsFor(triton.port), '--request-timeout', '2s'] });
    onTestFinished(async () => void (await short.stop()));
    const url = `${short.url}/v1/chat/completions`;
    const body = { model: 'vllm-toy', messages: user(directive({ tokens: 3, hold_at: 0, tag: 'silent' })) };
    const late = failure('deadline_exceeded', 'The response was not complete within the time limit.');
    const { status, body: response } = await post(url, body);
    expect({ status, answer: response }).toEqual({ status: 504, answer: late });
    expect(await countOf(conch.url, 'silent', { until: 'cancelled' })).toMatchObject({ state: 'cancelled' });
    const inside = user(directive({ tokens: 3, hold_at: 1, tag: 'silent inside' }));
    const streamed = await begin(url, { ...body, messages: inside, stream: true }).whole();
    expect(eventsOf(streamed).at(-1)).toEqual(late);
  });

  it('a connection leaves Conch alive, not ready, and able to end', async () => {
    const silent = await tcpServer(() => undefined);
    onTestFinished(() => silent.close());
    const flags = [...flagsFor(silent.port), '--connect-timeout', '300ms'];
    const waiting = await startConch({ flags, waitsUntilReady: false });
    await waiting.logged(({ message }) => String(message).includes('is unreachable'));
    expect((await fetch(`${waiting.url}/health/live`)).status).toBe(200);
    expect((await fetch(`${waiting.url}/health/ready`)).status).toBe(503);
    const { status, body } = await post(`${waiting.url}/v1/chat/completions`, {
      model: 'vllm-toy',
      messages: user('Hi'),
    });
    expect({ status, body }).toEqual({
      status: 503,
      body: failure('server_not_ready', 'No inference server is reachable. Try again later.'),
    });
    expect(await waiting.stop()).toBe(0);
  });
});

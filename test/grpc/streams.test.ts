import { randomUUID } from 'node:crypto';
import net from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { InferResponse } from '../../src/kserve/server.ts';
import { boolTensor, textTensor } from '../../src/kserve/tensors.ts';
import { directive } from '../support/exchange.ts';
import { pulled } from '../support/pulled-responses.ts';
import { batchesOf, countOf, errorOf, remoteServer, textsOf, toyRequest } from './remote.ts';

const server = remoteServer(inject('triton').grpcPort);
// The sockets of the client: how many there are, and how much was read from them.
const connect = vi.spyOn(net, 'connect');
beforeAll(() => server.call('ServerLive', {}));
afterEach(() => vi.clearAllMocks());
afterAll(() => server.close());

const words = (count: number) => [...Array.from({ length: count }, (_, at) => ` w${at + 1}`), ''];

describe('a stream', () => {
  it('gives every response whole, in order, the last one marked', async () => {
    const request = { ...toyRequest({ tokens: 3 }), id: 'seven' };
    const responses = (await batchesOf(pulled(server, request))).flat();
    const always = { model: 'vllm-toy', version: '1', id: 'seven' };
    const outputs = [{ name: 'text_output', datatype: 'BYTES', shape: [1] }];
    expect(
      responses.map(({ model, version, id, parameters, final, outputs: described }) => ({
        model,
        version,
        id,
        parameters,
        final,
        outputs: described,
      })),
    ).toEqual(
      [false, false, false, true].map((final) => ({
        ...always,
        parameters: { triton_final_response: final },
        final,
        outputs,
      })),
    );
    expect(responses.map((response) => response.text('text_output'))).toEqual(words(3));
    expect(responses.map((response) => response.raw('finish_reason'))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('of a model that is not decoupled is one response', async () => {
    const number = {
      name: 'number',
      datatype: 'INT32',
      shape: [2],
      data: Buffer.of(1, 0, 0, 0, 255, 0, 0, 0),
    } as const;
    const batches = await batchesOf(pulled(server, { model: 'add-one', id: '', inputs: [number] }));
    expect(batches.map((batch) => batch.map((response) => [response.final, response.raw('sum')]))).toEqual([
      [[true, Buffer.of(2, 0, 0, 0, 0, 1, 0, 0)]],
    ]);
  });

  it('sends what came while its reader was busy as one batch', async () => {
    const stream = pulled(server, toyRequest({ tokens: 50, hold_at: 1, tag: 'batch' }));
    const first = await stream.next();
    await countOf(server, 'batch', { until: 'held' });
    await textsOf(pulled(server, toyRequest({ release: 'batch' })));
    // The end of the call is the last thing to arrive: what it brought is waiting in one batch by now.
    await countOf(server, 'batch', { until: 'finished' });
    await textsOf(pulled(server, toyRequest({ tokens: 50 })));
    const rest: InferResponse[][] = await batchesOf(stream);
    expect([first.value?.length, ...rest.map((batch) => batch.length)]).toEqual([1, 50]);
    expect(
      [...(first.value ?? []), ...rest.flat()].map((response: InferResponse) => response.text('text_output')),
    ).toEqual(words(50));
  });

  it('that ends without data has only an empty final response, when that was asked for', async () => {
    const request = toyRequest({ tokens: 1, no_finish: true });
    const requested = { ...request, parameters: { triton_enable_empty_final_response: true } };
    const display = (responses: InferResponse[]) => responses.map(({ final, outputs }) => [final, outputs.length]);
    expect(display((await batchesOf(pulled(server, request))).flat())).toEqual([[false, 1]]);
    expect(display((await batchesOf(pulled(server, requested))).flat())).toEqual([
      [false, 1],
      [true, 0],
    ]);
  });

  it('can be one of hundreds on one connection', async () => {
    const results = await Promise.all(
      Array.from({ length: 300 }, async () => {
        const request = toyRequest({ tokens: 20 });
        const responses = (await batchesOf(pulled(server, request))).flat();
        const isOwn = responses.every(({ id }) => id === request.id);
        return [isOwn, responses.map((response) => response.text('text_output'))];
      }),
    );
    expect(results).toEqual(Array.from({ length: 300 }, () => [true, words(20)]));
    expect(connect).not.toHaveBeenCalled();
  });
});

describe('an error in a stream', () => {
  const failing = { tokens: 9, error_at: 2, error_text: 'out of paper ' };
  const received = async () => {
    const texts: unknown[] = [];
    const stream = pulled(server, toyRequest(failing));
    const error = errorOf(
      (async () => {
        for await (const batch of stream) texts.push(...batch.map((response) => response.text('text_output')));
      })(),
    );
    return { fault: await error, texts, after: await stream.next() };
  };
  it('comes after what was sent before it, with its text', async () => {
    expect(await received()).toEqual({
      fault: { code: 'UNKNOWN', message: 'Error generating stream: out of paper ', unreachable: false },
      texts: [' w1', ' w2'],
      after: { done: true, value: undefined },
    });
  });

  it('may have a very long text', async () => {
    const text = 'long story '.repeat(20_000);
    const { message } = await errorOf(
      batchesOf(pulled(server, toyRequest({ tokens: 2, error_at: 1, error_text: text, context: 1e6 }))),
    );
    expect(message).toBe(`Error generating stream: ${text}`);
  });

  it('that Triton finds before the model does has only its text', async () => {
    const error = { code: 'UNKNOWN', message: "Request for unknown model: 'nope' is not found", unreachable: false };
    expect(await errorOf(batchesOf(pulled(server, { ...toyRequest('Hello'), model: 'nope' })))).toEqual(error);
  });
});

describe('cancelling', () => {
  // Triton 2.51 may crash when a call is cancelled while a response is on its way: these calls are held, with none on its way.
  const held = (tag: string) => toyRequest({ tokens: 9, hold_at: 1, tag });
  const cancelled = { code: 'CANCELLED', message: 'The call was cancelled.', unreachable: false };

  it('by the signal ends the generation', async () => {
    const tag = randomUUID();
    const leaving = new AbortController();
    const stream = pulled(server, held(tag), { signal: leaving.signal });
    await stream.next();
    await countOf(server, tag, { until: 'held' });
    leaving.abort();
    expect(await errorOf(batchesOf(stream))).toEqual(cancelled);
    expect(await countOf(server, tag, { until: 'cancelled' })).toEqual({ tokens: 2, state: 'cancelled' });
  });

  it('by leaving the loop ends the generation', async () => {
    const tag = randomUUID();
    const stream = pulled(server, held(tag));
    for await (const batch of stream) {
      await countOf(server, tag, { until: 'held' });
      if (batch.length > 0) break;
    }
    expect(await countOf(server, tag, { until: 'cancelled' })).toEqual({ tokens: 2, state: 'cancelled' });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it('while a reader waits ends its wait', async () => {
    const tag = randomUUID();
    const stream = pulled(server, held(tag));
    await stream.next();
    const waiting = stream.next();
    await countOf(server, tag, { until: 'held' });
    await stream.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await countOf(server, tag, { until: 'cancelled' })).toEqual({ tokens: 2, state: 'cancelled' });
  });

  it('at the deadline ends it on both sides', async () => {
    const tag = randomUUID();
    const request = toyRequest({ tokens: 9, hold_at: 0, tag });
    expect(await errorOf(batchesOf(pulled(server, request, { timeout: 2000 })))).toEqual({
      code: 'DEADLINE_EXCEEDED',
      message: 'No response within 2000 ms.',
      unreachable: false,
    });
    expect(await countOf(server, tag, { until: 'cancelled' })).toEqual({ tokens: 1, state: 'cancelled' });
  });

  it('at many deadlines in a row does not cost the connection', async () => {
    for (let round = 0; round < 8; round++) {
      const stream = pulled(server, toyRequest({ tokens: 9, hold_at: 0 }), { timeout: 20 });
      expect((await errorOf(batchesOf(stream))).code).toBe('DEADLINE_EXCEEDED');
    }
    expect(await server.call('ServerLive', {})).toEqual({ live: true });
    expect(connect).not.toHaveBeenCalled();
  });

  it('before the start sends nothing', async () => {
    const fresh = remoteServer(inject('triton').grpcPort);
    const signal = AbortSignal.abort();
    expect(await errorOf(batchesOf(pulled(fresh, toyRequest('Hello'), { signal })))).toEqual(cancelled);
    expect(await errorOf(fresh.call('ServerLive', {}, { signal }))).toEqual(cancelled);
    expect(connect).not.toHaveBeenCalled();
  });

  it('between the call and the first look sends nothing either', async () => {
    const tag = randomUUID();
    const leaving = new AbortController();
    const stream = pulled(server, toyRequest({ tokens: 9, tag }), { signal: leaving.signal });
    leaving.abort();
    expect(await errorOf(batchesOf(stream))).toEqual(cancelled);
    const texts = await textsOf(pulled(server, toyRequest({ count_of: tag })));
    expect(texts.join('')).toBe('{"state": "unknown"}');
  });
});

describe('a slow reader', () => {
  it('makes the connection wait at a bound, loses nothing and holds nobody else up', async () => {
    const tag = randomUUID();
    const tokens = 5_000;
    const own = remoteServer(inject('triton').grpcPort);
    const stream = pulled(own, {
      model: 'vllm-toy',
      id: tag,
      inputs: [
        textTensor('text_input', [directive({ tokens, tag, context: 1e6 })]),
        textTensor('sampling_parameters', [JSON.stringify({ max_tokens: tokens + 1, logprobs: 20 })]),
        boolTensor('stream', true),
        boolTensor('return_logprobs', true),
      ],
    });
    const first = await stream.next();
    const socket = connect.mock.results[0]?.value as net.Socket;
    // Triton itself keeps what the client does not take: the model ends although nobody reads.
    expect(await countOf(own, tag, { until: 'finished' })).toEqual({ tokens: tokens + 1, state: 'finished' });
    const heldBack = socket.bytesRead;
    const responses: InferResponse[] = [...(first.value ?? []), ...(await batchesOf(stream)).flat()];
    expect(responses.map((response) => response.text('text_output'))).toEqual(words(tokens));
    const all = socket.bytesRead;
    expect(heldBack).toBeLessThan(2 * 1024 * 1024);
    expect(all).toBeGreaterThan(3 * 1024 * 1024);
    await own.close();
  });
});

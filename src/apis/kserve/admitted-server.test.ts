import { describe, expect, it } from 'vitest';
import { PlayedInference } from '../../../test/support/played-inference.ts';
import { pulled } from '../../../test/support/pulled-responses.ts';
import type { InferenceServer, InferRequest, InferResponse, ResponseSink } from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';
import type { Admission } from '../../models/admission.ts';
import { countingRecorder, type RequestRecord, type RequestWatch } from '../../request-watch.ts';
import { AdmittedServer } from './admitted-server.ts';
import { WatchedCalls } from './watched-calls.ts';

const request: InferRequest = { model: 'toy', id: '1', inputs: [] };
const response = { detached: () => response };

/** One call to a server, and all that its record and the server hear. */
function watched(isLimited: boolean, play: ConstructorParameters<typeof PlayedInference>[1]) {
  const received: unknown[] = [];
  const record: RequestRecord = {
    ...countingRecorder({ method: 'POST', path: '/', route: '/', headers: {} }),
    setRequest: (model) => received.push(['asks', model]),
    inference: ({ server, model }) => {
      received.push(['begins', server, model]);
      return {
        headers: { traceparent: 'of-the-inference' },
        first: () => received.push('first'),
        end: (error) => received.push(['end', error instanceof StatusError ? error.code : error]),
      };
    },
  };
  const behind = {
    name: 'a:1',
    stream: (_request: InferRequest, sink: ResponseSink, { metadata }: { metadata?: object }) => {
      received.push(metadata);
      return new PlayedInference(sink, play);
    },
    infer: async (): Promise<InferResponse> => {
      throw new StatusError('UNAVAILABLE', 'gone');
    },
  };
  const admission = {
    isLimited: () => isLimited,
    enter: async (_model: string, { watch }: { watch: RequestWatch }) => {
      received.push(['enters', watch === record]);
      return () => received.push('leaves');
    },
  };
  const server = new AdmittedServer(behind as unknown as InferenceServer, admission as unknown as Admission);
  return { received, server: new WatchedCalls(server, record) };
}

const metadata = { traceparent: 'of-the-call', other: 'x' };
const sent = { traceparent: 'of-the-inference', other: 'x' };

describe('AdmittedServer', () => {
  it.each([true, false])('tells the record of a stream, where its model is limited: %s', async (isLimited) => {
    const { received, server } = watched(isLimited, { responses: [response, response] });
    for await (const some of pulled(server, request, { metadata })) received.push(some.length);
    const inside = [['begins', 'a:1', 'toy'], sent, 'first', 1, 1, ['end', undefined]];
    const location = isLimited ? [['enters', true], ...inside, 'leaves'] : inside;
    expect(received).toEqual([['asks', 'toy'], ...location]);
  });

  it('reports a stream that is cancelled, and one that fails', async () => {
    const left = watched(false, { responses: [response] });
    for await (const _ of pulled(left.server, request)) break;
    expect(left.received.slice(3)).toEqual(['first', ['end', undefined]]);
    const failing = watched(false, { responses: [response], end: new StatusError('INTERNAL', 'no') });
    const stream = pulled(failing.server, request);
    await stream.next();
    await expect(stream.next()).rejects.toThrow('no');
    expect(failing.received.at(-1)).toEqual(['end', 'INTERNAL']);
  });

  it('reports a single response', async () => {
    const { received, server } = watched(true, { responses: [] });
    await expect(server.infer(request)).rejects.toThrow('gone');
    expect(received).toEqual([
      ['asks', 'toy'],
      ['enters', true],
      ['begins', 'a:1', 'toy'],
      ['end', 'UNAVAILABLE'],
      'leaves',
    ]);
  });
});

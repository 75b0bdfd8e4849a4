import { describe, expect, it } from 'vitest';
import { PlayedInference } from '../../../test/support/played-inference.ts';
import { pulled } from '../../../test/support/pulled-responses.ts';
import type { InferenceServer, InferRequest, InferResponse, ResponseSink } from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';
import type { Admission } from '../../models/admission.ts';
import { type RequestRecord, type RequestWatch, unrecorded } from '../../request-watch.ts';
import { AdmittedServer } from './admitted-server.ts';
import { WatchedCalls } from './watched-calls.ts';

const request: InferRequest = { model: 'toy', id: '1', inputs: [] };
const response = { kept: () => response };

/** One call to a server, and all that its record and the server hear. */
function watched(isLimited: boolean, play: ConstructorParameters<typeof PlayedInference>[1]) {
  const heard: unknown[] = [];
  const record: RequestRecord = {
    ...unrecorded({ method: 'POST', path: '/', route: '/', headers: {} }),
    asks: (model) => heard.push(['asks', model]),
    inference: ({ server, model }) => {
      heard.push(['begins', server, model]);
      return {
        headers: { traceparent: 'of-the-inference' },
        first: () => heard.push('first'),
        end: (fault) => heard.push(['end', fault instanceof StatusError ? fault.code : fault]),
      };
    },
  };
  const behind = {
    name: 'a:1',
    stream: (_request: InferRequest, sink: ResponseSink, { metadata }: { metadata?: object }) => {
      heard.push(metadata);
      return new PlayedInference(sink, play);
    },
    infer: async (): Promise<InferResponse> => {
      throw new StatusError('UNAVAILABLE', 'gone');
    },
  };
  const admission = {
    isLimited: () => isLimited,
    enter: async (_model: string, { watch }: { watch: RequestWatch }) => {
      heard.push(['enters', watch === record]);
      return () => heard.push('leaves');
    },
  };
  const server = new AdmittedServer(behind as unknown as InferenceServer, admission as unknown as Admission);
  return { heard, server: new WatchedCalls(server, record) };
}

const metadata = { traceparent: 'of-the-call', other: 'x' };
const sent = { traceparent: 'of-the-inference', other: 'x' };

describe('AdmittedServer', () => {
  it.each([true, false])('tells the record of a stream, where its model is limited: %s', async (isLimited) => {
    const { heard, server } = watched(isLimited, { responses: [response, response] });
    for await (const some of pulled(server, request, { metadata })) heard.push(some.length);
    const inside = [['begins', 'a:1', 'toy'], sent, 'first', 1, 1, ['end', undefined]];
    const place = isLimited ? [['enters', true], ...inside, 'leaves'] : inside;
    expect(heard).toEqual([['asks', 'toy'], ...place]);
  });

  it('reports a stream that is cancelled, and one that fails', async () => {
    const left = watched(false, { responses: [response] });
    for await (const _ of pulled(left.server, request)) break;
    expect(left.heard.slice(3)).toEqual(['first', ['end', undefined]]);
    const failing = watched(false, { responses: [response], end: new StatusError('INTERNAL', 'no') });
    const stream = pulled(failing.server, request);
    await stream.next();
    await expect(stream.next()).rejects.toThrow('no');
    expect(failing.heard.at(-1)).toEqual(['end', 'INTERNAL']);
  });

  it('reports a single response', async () => {
    const { heard, server } = watched(true, { responses: [] });
    await expect(server.infer(request)).rejects.toThrow('gone');
    expect(heard).toEqual([
      ['asks', 'toy'],
      ['enters', true],
      ['begins', 'a:1', 'toy'],
      ['end', 'UNAVAILABLE'],
      'leaves',
    ]);
  });
});

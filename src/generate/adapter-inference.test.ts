import { describe, expect, it } from 'vitest';
import { PlayedInference } from '../../test/support/played-inference.ts';
import type { GenerateRequest, GenerationContract, LoraWeights } from '../contracts/contract.ts';
import { untilEnd } from '../kserve/awaited-responses.ts';
import { failedInference } from '../kserve/failed-inference.ts';
import type { InferenceServer, InferRequest, ResponseSink } from '../kserve/server.ts';
import { StatusError } from '../kserve/status.ts';
import { AdapterFolderError } from '../models/adapter-folder.ts';
import { AdapterInference } from './adapter-inference.ts';

const missing = new StatusError('UNKNOWN', 'LoRA task 1 not found in cache. Please send LoRA weights with request');

/** A server that responds to each request with the next of these: two responses, or an error. */
function scripted(responses: readonly (StatusError | 'answers')[], read = async () => ({}) as LoraWeights) {
  const sent: string[] = [];
  const stream = ({ id }: InferRequest, sink: ResponseSink) => {
    const response = responses[sent.push(id) - 1] ?? new StatusError('UNKNOWN', 'asked too often');
    if (response instanceof StatusError) return failedInference(response, sink);
    return new PlayedInference(sink, { responses: [{ id: 'first' }, { id: 'second' }] });
  };
  const server = { stream } as unknown as InferenceServer;
  const contract = {
    encode: ({ loraWeights }: GenerateRequest) => ({ id: loraWeights ? 'weights' : 'number' }),
    adapterFormat: { datatype: 'FP16', isMissing: (error: StatusError) => error === missing },
  } as unknown as GenerationContract;
  const adapter = { taskId: 1, folder: { read }, sentTo: new WeakSet<InferenceServer>() };
  const options = { server, contract, request: {} as GenerateRequest, adapter, call: {} };
  const open = (sink: ResponseSink) => new AdapterInference(options, sink).start();
  return { sent, open };
}

type Open = ReturnType<typeof scripted>['open'];

async function idsOf(open: Open): Promise<string[]> {
  const ids: string[] = [];
  await untilEnd(open, ({ id }) => ids.push(id));
  return ids;
}

/** What the sink of an inference hears. */
function receivedOf(open: Open) {
  const received: unknown[] = [];
  const running = open({ response: ({ id }) => received.push(id), end: (error) => received.push(['end', error]) });
  return { received, running };
}

describe('AdapterInference', () => {
  it('sends the weights first, then only the number', async () => {
    const { open, sent } = scripted(['answers', 'answers']);
    expect([await idsOf(open), await idsOf(open)]).toEqual([
      ['first', 'second'],
      ['first', 'second'],
    ]);
    expect(sent).toEqual(['weights', 'number']);
  });

  it('sends them again when they are missing, and only once', async () => {
    const { open, sent } = scripted(['answers', missing, 'answers', missing, missing, 'answers']);
    await idsOf(open);
    expect(await idsOf(open)).toEqual(['first', 'second']);
    await expect(idsOf(open)).rejects.toBe(missing);
    expect(sent).toEqual(['weights', 'number', 'weights', 'number', 'weights']);
    await idsOf(open);
    expect(sent.at(-1)).toBe('weights');
  });

  it('passes other errors on, and sends the weights again if they may not have arrived', async () => {
    const error = new StatusError('UNAVAILABLE', 'gone');
    const { open, sent } = scripted([error, 'answers', error]);
    await expect(idsOf(open)).rejects.toBe(error);
    await idsOf(open);
    await expect(idsOf(open)).rejects.toBe(error);
    expect(sent).toEqual(['weights', 'weights', 'number']);
  });

  it('sends nothing if it is cancelled while the weights are read', async () => {
    let give: ((weights: LoraWeights) => void) | undefined;
    const { open, sent } = scripted(['answers'], () => new Promise((resolve) => (give = resolve)));
    const { received, running } = receivedOf(open);
    running.cancel();
    give?.({} as LoraWeights);
    await new Promise(setImmediate);
    expect([received, sent]).toEqual([[], []]);
  });

  it('ends with an error that occurs while the weights are read, first or once more', async () => {
    const error = new StatusError('DEADLINE_EXCEEDED', 'late');
    const gives: ((weights: LoraWeights) => void)[] = [];
    const { open, sent } = scripted(['answers', missing], () => new Promise((resolve) => gives.push(resolve)));
    const ended = async () => {
      const { received, running } = receivedOf(open);
      await new Promise(setImmediate);
      running.cancel(error);
      gives.at(-1)?.({} as LoraWeights);
      await new Promise(setImmediate);
      expect(received).toEqual([['end', error]]);
    };
    await ended();
    const good = idsOf(open);
    gives.at(-1)?.({} as LoraWeights);
    await good;
    await ended();
    expect(sent).toEqual(['weights', 'number']);
  });

  it('keeps what is wrong with the folder from the client', async () => {
    const cause = new AdapterFolderError('/secret/place has changed.');
    const { open } = scripted([], () => Promise.reject(cause));
    await expect(idsOf(open)).rejects.toMatchObject({
      code: 'model_not_ready',
      message: 'The weights of this LoRA adapter cannot be loaded. The log has the reason.',
      cause,
    });
  });
});

import { describe, expect, it } from 'vitest';
import type { GenerateRequest, GenerationContract, LoraWeights } from '../contracts/contract.ts';
import { failingStream } from '../kserve/failing-stream.ts';
import type { InferenceServer, InferRequest, InferResponse } from '../kserve/server.ts';
import { StatusError } from '../kserve/status.ts';
import { AdapterFolderError } from '../models/adapter-folder.ts';
import { AdapterStream } from './adapter-stream.ts';

const missing = new StatusError('UNKNOWN', 'LoRA task 1 not found in cache. Please send LoRA weights with request');

/** A server that answers each request with the next of these: two responses, or an error. */
function scripted(answers: readonly (StatusError | 'answers')[], read = async () => ({}) as LoraWeights) {
  const sent: string[] = [];
  const stream = ({ id }: InferRequest) => {
    const answer = answers[sent.push(id) - 1] ?? new StatusError('UNKNOWN', 'asked too often');
    if (answer instanceof StatusError) return failingStream(answer);
    return (async function* () {
      yield [{ id: 'first' } as InferResponse];
      yield [{ id: 'second' } as InferResponse];
    })();
  };
  const server = { stream } as unknown as InferenceServer;
  const contract = {
    encode: ({ loraWeights }: GenerateRequest) => ({ id: loraWeights ? 'weights' : 'number' }),
    adapterForm: { datatype: 'FP16', isMissing: (error: StatusError) => error === missing },
  } as unknown as GenerationContract;
  const adapter = { taskId: 1, folder: { read }, sentTo: new WeakSet<InferenceServer>() };
  const open = () => new AdapterStream({ server, contract, request: {} as GenerateRequest, adapter, call: {} });
  return { sent, open };
}

async function idsOf(stream: AdapterStream): Promise<string[]> {
  const ids: string[] = [];
  for await (const batch of stream) ids.push(...batch.map(({ id }) => id));
  return ids;
}

describe('AdapterStream', () => {
  it('sends the weights first, then the number alone', async () => {
    const { open, sent } = scripted(['answers', 'answers']);
    expect([await idsOf(open()), await idsOf(open())]).toEqual([
      ['first', 'second'],
      ['first', 'second'],
    ]);
    expect(sent).toEqual(['weights', 'number']);
  });

  it('sends them again when they are missing, and only once', async () => {
    const { open, sent } = scripted(['answers', missing, 'answers', missing, missing, 'answers']);
    await idsOf(open());
    expect(await idsOf(open())).toEqual(['first', 'second']);
    await expect(idsOf(open())).rejects.toBe(missing);
    expect(sent).toEqual(['weights', 'number', 'weights', 'number', 'weights']);
    await idsOf(open());
    expect(sent.at(-1)).toBe('weights');
  });

  it('passes other faults on, and sends the weights again where they may not have arrived', async () => {
    const fault = new StatusError('UNAVAILABLE', 'gone');
    const { open, sent } = scripted([fault, 'answers', fault]);
    await expect(idsOf(open())).rejects.toBe(fault);
    await idsOf(open());
    await expect(idsOf(open())).rejects.toBe(fault);
    expect(sent).toEqual(['weights', 'weights', 'number']);
  });

  it('sends nothing when it is left while the weights are read', async () => {
    let give: ((weights: LoraWeights) => void) | undefined;
    const { open, sent } = scripted(['answers'], () => new Promise((resolve) => (give = resolve)));
    const stream = open();
    const next = stream.next();
    await stream.return();
    give?.({} as LoraWeights);
    expect([await next, sent]).toEqual([{ done: true, value: undefined }, []]);
  });

  it('is ended with a fault that comes while the weights are read, first or once more', async () => {
    const fault = new StatusError('DEADLINE_EXCEEDED', 'late');
    const gives: ((weights: LoraWeights) => void)[] = [];
    const { open, sent } = scripted(['answers', missing], () => new Promise((resolve) => gives.push(resolve)));
    const ended = async () => {
      const stream = open();
      const next = stream.next();
      await new Promise(setImmediate);
      await stream.throw(fault);
      gives.at(-1)?.({} as LoraWeights);
      await expect(next).rejects.toBe(fault);
    };
    await ended();
    const good = idsOf(open());
    gives.at(-1)?.({} as LoraWeights);
    await good;
    await ended();
    expect(sent).toEqual(['weights', 'number']);
  });

  it('keeps what is wrong with the folder from the client', async () => {
    const cause = new AdapterFolderError('/secret/place has changed.');
    const { open } = scripted([], () => Promise.reject(cause));
    await expect(idsOf(open())).rejects.toMatchObject({
      code: 'model_not_ready',
      message: 'The weights of this LoRA adapter cannot be sent; the log has the reason.',
      cause,
    });
  });
});

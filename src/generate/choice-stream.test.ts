import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../test/support/scripted-model.ts';
import type { GenerateSink } from '../contracts/contract.ts';
import type { InferResponse } from '../kserve/server.ts';
import { StatusError } from '../kserve/status.ts';
import { WaitFault } from '../kserve/wait-fault.ts';
import { ChoiceReader } from './choice-reader.ts';
import { ChoiceStream } from './choice-stream.ts';

/** What one read of the server gives: words, `.` for a finish; an error. */
type Read = readonly string[] | Error;

function streamOf(reads: readonly Read[], { countTokens = undefined as (() => Promise<number>) | undefined } = {}) {
  const heard: unknown[] = [];
  const controller = new AbortController();
  const left = [...reads];
  const responses: AsyncIterableIterator<InferResponse[]> = {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: async () => {
      const read = left.shift();
      if (read instanceof Error) throw read;
      return read ? { done: false, value: read as unknown as InferResponse[] } : { done: true, value: undefined };
    },
    return: async () => {
      heard.push('return');
      return { done: true, value: undefined };
    },
  };
  const push = (response: unknown, sink: GenerateSink): void => {
    if (response === '!') throw new Error('unreadable');
    if (response === '.') sink.finish('stop');
    else if (response !== '') sink.text(response as string, 1, undefined);
  };
  const tally = {
    promptTokens: undefined,
    cachedTokens: undefined,
    reasoningTokens: undefined,
    completionTokens: 0,
    unfinished: 1,
    finishReasons: [],
  };
  const reader = new ChoiceReader({
    choice: 0,
    answers: 1,
    prefix: '',
    maxTokens: undefined,
    context: undefined,
    tally,
    countsPrompt: false,
    promptLength: undefined,
    reportsPrompt: false,
    countTokens,
  });
  const stream = new ChoiceStream({
    responses,
    decoder: { push },
    reader,
    stop: (hasBegun) => heard.push(['stop', hasBegun]),
    place: { contract: { explain: () => undefined }, fields: {}, signal: controller.signal },
    watch: { first: () => heard.push('first'), end: (fault) => heard.push(['end', fault]) },
  });
  return { stream, heard, controller };
}

const words = (events: readonly object[]) =>
  events.map((event) => ('text' in event ? event.text : 'reason' in event ? `.${String(event.reason)}` : event));

describe('the stream of a choice', () => {
  it('gives the events of each read together, and none where there are none', async () => {
    const { stream, heard } = streamOf([['a', 'b'], [''], ['c', '.']]);
    expect([stream.hasBegun, words((await stream.next()).value ?? []), stream.hasBegun]).toEqual([
      false,
      ['a', 'b'],
      true,
    ]);
    expect(words((await stream.next()).value ?? [])).toEqual(['c', '.stop']);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(heard).toEqual(['first', ['end', undefined]]);
  });

  it('that ends without a finish fails', async () => {
    const { stream, heard } = streamOf([['a']]);
    const { events, error } = await outcomeOf(stream);
    expect([words(events), error]).toEqual([['a'], 'backend_error']);
    // The server has to be told: it has not said that it is done.
    expect(heard).toMatchObject(['first', ['stop', true], ['end', { code: 'backend_error' }], 'return']);
  });

  it('gives what was decoded before a response that cannot be read', async () => {
    const { events, error } = await outcomeOf(streamOf([['a', '!']]).stream);
    expect([words(events), error]).toEqual([['a'], 'internal_error']);
  });

  it('does not end an inference that its server has ended with an error', async () => {
    const fault = new StatusError('INTERNAL', 'It failed.');
    const { stream, heard } = streamOf([['a'], fault]);
    expect((await outcomeOf(stream)).error).toBe('backend_error');
    expect(heard).toEqual(['first', ['end', fault], 'return']);
  });

  it('ends an inference that was waited for too long', async () => {
    const fault = new WaitFault('first', 10);
    const { stream, heard } = streamOf([fault]);
    expect((await outcomeOf(stream)).error).toBe('deadline_exceeded');
    expect(heard).toEqual([['stop', false], ['end', fault], 'return']);
  });

  it('that is left ends its inference once', async () => {
    const { stream, heard } = streamOf([['a'], ['b', '.']]);
    await stream.next();
    await stream.return();
    await stream.return();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(heard).toEqual(['first', ['stop', true], ['end', undefined], 'return', 'return']);
  });

  it('whose client has disconnected says so, whatever failed', async () => {
    const { stream, controller, heard } = streamOf([new StatusError('CANCELLED', 'The call was cancelled.')]);
    controller.abort();
    expect((await outcomeOf(stream)).error).toBe('client_closed_request');
    expect(heard[0]).toEqual(['stop', false]);
  });

  it('waits for a count that its text tells', async () => {
    const { events } = await outcomeOf(streamOf([['a', '.']], { countTokens: async () => 4 }).stream);
    expect(words(events)).toEqual(['a', '.stop']);
    const failing = streamOf([['a', '.']], { countTokens: () => Promise.reject(new Error('no')) });
    expect((await outcomeOf(failing.stream)).error).toBe('internal_error');
  });
});

import { describe, expect, it } from 'vitest';
import { plainReader } from '../../test/support/reader-options.ts';
import { outcomeOf } from '../../test/support/scripted-model.ts';
import type { GenerateSink } from '../contracts/contract.ts';
import { ResponseTimeoutError } from '../kserve/response-timeout-error.ts';
import type { InferResponse, ResponseSink } from '../kserve/server.ts';
import { StatusError } from '../kserve/status.ts';
import { ChoiceReader } from './choice-reader.ts';
import { ChoiceRun } from './choice-run.ts';

/** What the server gives: a word, `.` for a finish, `!` for what cannot be read, or an error; then its end. */
type Step = string | Error;

function runOf(steps: readonly Step[], { countTokens = undefined as (() => Promise<number>) | undefined } = {}) {
  const received: unknown[] = [];
  const controller = new AbortController();
  const play = (sink: ResponseSink): void => {
    for (const step of steps) {
      if (step instanceof Error) {
        sink.end(step);
        return;
      }
      sink.response(step as unknown as InferResponse);
    }
    sink.end();
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
    ...plainReader,
    tally,
    countsPrompt: false,
    reportsPrompt: false,
    countTokens,
  });
  const run = new ChoiceRun({
    begin: (sink) => {
      queueMicrotask(() => play(sink));
      return {
        pause: () => received.push('pause'),
        resume: () => received.push('resume'),
        cancel: () => received.push('cancel'),
      };
    },
    decoder: { push },
    reader,
    stop: (hasStarted) => received.push(['stop', hasStarted]),
    errorContext: { contract: { explain: () => undefined }, fields: {}, signal: controller.signal },
    watch: { first: () => received.push('first'), end: (error) => received.push(['end', error]) },
  });
  return { run, received, controller };
}

const words = (events: readonly object[]) =>
  events.map((event) => ('text' in event ? event.text : 'reason' in event ? `.${String(event.reason)}` : event));

describe('the run of a choice', () => {
  it('gives the events of each response', async () => {
    const { run, received } = runOf(['a', 'b', '', 'c', '.']);
    expect(run.hasStarted).toBe(false);
    const { events, error } = await outcomeOf(run);
    expect([words(events), error, run.hasStarted]).toEqual([['a', 'b', 'c', '.stop'], undefined, true]);
    expect(received).toEqual(['first', ['end', undefined]]);
  });

  it('that ends without a finish fails', async () => {
    const { run, received } = runOf(['a']);
    const { events, error } = await outcomeOf(run);
    expect([words(events), error]).toEqual([['a'], 'backend_error']);
    // The server needs a stop request: it has not ended the inference itself.
    expect(received).toMatchObject(['first', ['stop', true], ['end', { code: 'backend_error' }], 'cancel']);
  });

  it('gives what was decoded before a response that cannot be read', async () => {
    const { events, error } = await outcomeOf(runOf(['a', '!', 'b']).run);
    expect([words(events), error]).toEqual([['a'], 'internal_error']);
  });

  it('does not end an inference that its server has ended with an error', async () => {
    const error = new StatusError('INTERNAL', 'It failed.');
    const { run, received } = runOf(['a', error]);
    expect((await outcomeOf(run)).error).toBe('backend_error');
    expect(received).toEqual(['first', ['end', error], 'cancel']);
  });

  it('ends an inference that was waited for too long', async () => {
    const error = new ResponseTimeoutError('first', 10);
    const { run, received } = runOf([error]);
    expect((await outcomeOf(run)).error).toBe('deadline_exceeded');
    expect(received).toEqual([['stop', false], ['end', error], 'cancel']);
  });

  it('that is cancelled ends its inference once, and gives nothing more', async () => {
    const { run, received } = runOf(['a', 'b', '.']);
    const value: string[] = [];
    const running = run.start({
      text: (_, text) => {
        value.push(text);
        running.cancel();
        running.cancel();
      },
      event: ({ type }) => value.push(type),
      end: () => value.push('end'),
      fail: () => value.push('fail'),
    });
    await new Promise(setImmediate);
    expect([value, received]).toEqual([['a'], ['first', ['stop', true], ['end', undefined], 'cancel']]);
  });

  it('pauses and resumes its inference', () => {
    const { run, received } = runOf(['a', '.']);
    const running = run.start({ text: () => {}, event: () => {}, end: () => {}, fail: () => {} });
    running.pause();
    running.resume();
    expect(received).toEqual(['pause', 'resume']);
  });

  it('whose client has disconnected says so, whatever failed', async () => {
    const { run, controller, received } = runOf([new StatusError('CANCELLED', 'The call was cancelled.')]);
    controller.abort();
    expect((await outcomeOf(run)).error).toBe('client_closed_request');
    expect(received[0]).toEqual(['stop', false]);
  });

  it('waits for a count that its text tells', async () => {
    const { events } = await outcomeOf(runOf(['a', '.'], { countTokens: async () => 4 }).run);
    expect(words(events)).toEqual(['a', '.stop']);
    const failing = runOf(['a', '.'], { countTokens: () => Promise.reject(new Error('no')) });
    expect((await outcomeOf(failing.run)).error).toBe('internal_error');
  });
});

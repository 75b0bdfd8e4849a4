import { expect, it } from 'vitest';
import { PlayedInference } from '../../test/support/played-inference.ts';
import { DeferredInference, type EnteredInference } from './deferred-inference.ts';
import type { RunningInference } from './server.ts';

const nextTurn = () => new Promise(setImmediate);

/** An inference that waits to be let in. */
function deferred() {
  const received: unknown[] = [];
  let letIn: (() => void) | undefined;
  let refuse: ((error: unknown) => void) | undefined;
  const entered: EnteredInference = {
    begin: (sink) => {
      received.push('begin');
      return new PlayedInference(sink, { responses: ['a', 'b'], onCancel: () => received.push('cancel') });
    },
    leave: () => received.push('leave'),
  };
  const enter = () =>
    new Promise<EnteredInference>((resolve, reject) => {
      letIn = () => resolve(entered);
      refuse = reject;
    });
  const sink = {
    response: (response: unknown) => received.push(response),
    end: (error?: unknown) => received.push(['end', error]),
  };
  const running: RunningInference = new DeferredInference(enter, sink);
  return { received, running, letIn: () => letIn?.(), refuse: (error: unknown) => refuse?.(error) };
}

it('begins once it is let in, and leaves with its end', async () => {
  const { received, letIn } = deferred();
  await nextTurn();
  expect(received).toEqual([]);
  letIn();
  await nextTurn();
  expect(received).toEqual(['begin', 'a', 'b', 'leave', ['end', undefined]]);
});

it('ends with the error of an inference that is not let in', async () => {
  const { received, refuse } = deferred();
  refuse('full');
  await nextTurn();
  expect(received).toEqual([['end', 'full']]);
});

it('never begins where it is cancelled before, and leaves all the same', async () => {
  const { received, running, letIn } = deferred();
  running.cancel();
  letIn();
  await nextTurn();
  expect(received).toEqual(['leave']);
});

it('waits where it is paused before it begins, and can be ended with an error', async () => {
  const { received, running, letIn } = deferred();
  running.pause();
  letIn();
  await nextTurn();
  expect(received).toEqual(['begin']);
  running.cancel('late');
  running.cancel();
  await nextTurn();
  expect(received).toEqual(['begin', 'cancel', 'leave', ['end', 'late']]);
});

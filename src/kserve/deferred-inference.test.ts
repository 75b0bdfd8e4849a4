import { expect, it } from 'vitest';
import { PlayedInference } from '../../test/support/played-inference.ts';
import { DeferredInference, type EnteredInference } from './deferred-inference.ts';
import type { RunningInference } from './server.ts';

const nextTurn = () => new Promise(setImmediate);

/** An inference that waits to be let in. */
function deferred() {
  const heard: unknown[] = [];
  let letIn: (() => void) | undefined;
  let refuse: ((error: unknown) => void) | undefined;
  const entered: EnteredInference = {
    begin: (sink) => {
      heard.push('begin');
      return new PlayedInference(sink, { responses: ['a', 'b'], onCancel: () => heard.push('cancel') });
    },
    leave: () => heard.push('leave'),
  };
  const enter = () =>
    new Promise<EnteredInference>((resolve, reject) => {
      letIn = () => resolve(entered);
      refuse = reject;
    });
  const sink = {
    response: (response: unknown) => heard.push(response),
    end: (error?: unknown) => heard.push(['end', error]),
  };
  const running: RunningInference = new DeferredInference(enter, sink);
  return { heard, running, letIn: () => letIn?.(), refuse: (error: unknown) => refuse?.(error) };
}

it('begins once it is let in, and leaves with its end', async () => {
  const { heard, letIn } = deferred();
  await nextTurn();
  expect(heard).toEqual([]);
  letIn();
  await nextTurn();
  expect(heard).toEqual(['begin', 'a', 'b', 'leave', ['end', undefined]]);
});

it('ends with the error of an inference that is not let in', async () => {
  const { heard, refuse } = deferred();
  refuse('full');
  await nextTurn();
  expect(heard).toEqual([['end', 'full']]);
});

it('never begins where it is cancelled before, and leaves all the same', async () => {
  const { heard, running, letIn } = deferred();
  running.cancel();
  letIn();
  await nextTurn();
  expect(heard).toEqual(['leave']);
});

it('waits where it is paused before it begins, and can be ended with an error', async () => {
  const { heard, running, letIn } = deferred();
  running.pause();
  letIn();
  await nextTurn();
  expect(heard).toEqual(['begin']);
  running.cancel('late');
  running.cancel();
  await nextTurn();
  expect(heard).toEqual(['begin', 'cancel', 'leave', ['end', 'late']]);
});

import { expect, it } from 'vitest';
import { ScriptedGeneration } from '../../test/support/scripted-generation.ts';
import type { EventSink, OtherEvent } from '../contracts/events.ts';
import { type BundleOptions, bundled } from './bundled-generation.ts';
import type { Coalescer } from './coalescer.ts';

function started(bundling: BundleOptions) {
  const source = new ScriptedGeneration();
  const received: unknown[] = [];
  const sink: EventSink = {
    text: (choice, text, tokens, logprobs) => received.push([choice, text, tokens, ...(logprobs ? [logprobs] : [])]),
    event: (event) => received.push(event),
    end: () => received.push('end'),
    fail: (error) => received.push((error as Error).message),
  };
  const running = bundled(source, bundling).start(sink);
  return {
    source,
    received,
    running,
    text: (text: string, tokens = 1, choice = 0) => source.sink?.text(choice, text, tokens, undefined),
    event: (event: OtherEvent) => source.sink?.event(event),
  };
}

const reasoning = (text: string): OtherEvent => ({ type: 'reasoning-delta', choice: 0, text });
const call = (text: string, id?: string): OtherEvent => ({
  type: 'tool-call-delta',
  choice: 0,
  index: 0,
  ...(id === undefined ? {} : { id, name: 'look' }),
  arguments: text,
});
const finish: OtherEvent = { type: 'finish', choice: 0, reason: 'stop' };

it('gives the first delta at once, then all text of every so many tokens, and the rest before the finish', () => {
  const { received, text, event, source } = started({ interval: 3 });
  for (const word of ['a', 'b', 'c', 'd', 'e', 'f']) text(word);
  event(finish);
  source.sink?.end();
  expect(received).toEqual([[0, 'a', 1], [0, 'bcd', 3], [0, 'ef', 2], finish, 'end']);
});

it('counts the tokens of each choice for itself', () => {
  const { received, text } = started({ interval: 2 });
  for (const word of ['a', 'b', 'c']) {
    text(word, 1, 0);
    text(word.toUpperCase(), 1, 1);
  }
  expect(received).toEqual([
    [0, 'a', 1],
    [1, 'A', 1],
    [0, 'bc', 2],
    [1, 'BC', 2],
  ]);
});

it('keeps the logprobs of all tokens, in order', () => {
  const { received, source } = started({ interval: 2 });
  const logprobs = (token: string) => [{ token, logprob: -1, bytes: undefined, top: [] }] as never;
  for (const token of ['a', 'b', 'c']) source.sink?.text(0, token, 1, logprobs(token));
  const of = (token: string) => ({ token, logprob: -1, bytes: undefined, top: [] });
  expect(received).toEqual([
    [0, 'a', 1, [of('a')]],
    [0, 'bc', 2, [of('b'), of('c')]],
  ]);
});

it('joins reasoning, and the arguments of a call, and keeps the order of what differs', () => {
  const { received, text, event } = started({ interval: 4 });
  event(reasoning('H'));
  text('');
  for (const part of ['m', 'm']) {
    event(reasoning(part));
    text('');
  }
  text('Yes');
  event(call('', 'one'));
  event(call('{"a"'));
  text('');
  event(call(':1}'));
  text('');
  event(finish);
  expect(received).toEqual([
    [0, '', 1],
    reasoning('H'),
    [0, '', 4],
    reasoning('mm'),
    [0, 'Yes', 0],
    call('{"a"', 'one'),
    [0, '', 1],
    call(':1}'),
    finish,
  ]);
});

it('gives what it holds before a failure', () => {
  const { received, text, source } = started({ interval: 9 });
  for (const word of ['a', 'b', 'c']) text(word);
  source.sink?.fail(new Error('broken'));
  expect(received).toEqual([[0, 'a', 1], [0, 'bc', 2], 'broken']);
});

/** A process that is always busy, and whose time a test has run. */
function busyProcess() {
  const waiting: { release(): void }[] = [];
  const coalescing = { isOn: true, holds: (held: { release(): void }) => waiting.push(held) > 0 } as Coalescer;
  return { coalescing, pass: () => waiting.splice(0).map((held) => held.release()).length };
}

it('holds the text of a busy process until the time is over', () => {
  const { coalescing, pass } = busyProcess();
  const { received, text } = started({ interval: 1, coalescing });
  for (const word of ['a', 'b', 'c']) text(word);
  expect(received).toEqual([[0, 'a', 1]]);
  expect(pass()).toBe(1);
  text('d');
  expect(received).toEqual([
    [0, 'a', 1],
    [0, 'bc', 2],
  ]);
});

it('gives nothing after it was cancelled', () => {
  const { coalescing, pass } = busyProcess();
  const { received, text, running, source } = started({ interval: 1, coalescing });
  for (const word of ['a', 'b']) text(word);
  running.pause();
  running.resume();
  running.cancel();
  pass();
  expect([received, source.calls]).toEqual([[[0, 'a', 1]], ['pause', 'resume', 'cancel']]);
});

it('gives the bundles of a later choice that begins before the first one', () => {
  const { received, text, source } = started({ interval: 3 });
  for (const word of ['A', 'B', 'C']) text(word, 1, 1);
  source.sink?.fail(new Error('broken'));
  expect(received).toEqual([[1, 'A', 1], [1, 'BC', 2], 'broken']);
});

it('is released if only a later choice has started', () => {
  const held: { release(): void }[] = [];
  const coalescing = { isOn: true, holds: (stream: { release(): void }) => held.push(stream) > 0 };
  const { received, text } = started({ interval: 1, coalescing: coalescing as unknown as Coalescer });
  for (const word of ['A', 'B', 'C']) text(word, 1, 1);
  for (const stream of held) stream.release();
  expect(received).toEqual([
    [1, 'A', 1],
    [1, 'BC', 2],
  ]);
});

it('fails, and cancels its source, where the sink throws on release', () => {
  const source = new ScriptedGeneration();
  const received: unknown[] = [];
  const held: { release(): void }[] = [];
  const coalescing = { isOn: true, holds: (stream: { release(): void }) => held.push(stream) > 0 };
  const sink: EventSink = {
    text: (_choice, text) => {
      if (text === 'b') throw new Error('no room');
      received.push(text);
    },
    event: () => undefined,
    end: () => received.push('end'),
    fail: (error) => received.push((error as Error).message),
  };
  bundled(source, { interval: 1, coalescing: coalescing as unknown as Coalescer }).start(sink);
  for (const word of ['a', 'b']) source.sink?.text(0, word, 1, undefined);
  for (const stream of held) stream.release();
  expect([received, source.calls]).toEqual([['a', 'no room'], ['cancel']]);
});

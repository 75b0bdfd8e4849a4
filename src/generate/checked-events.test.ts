import { expect, it } from 'vitest';
import { ScriptedGeneration, sinkOf } from '../../test/support/scripted-generation.ts';
import { CheckedEvents } from './checked-events.ts';
import { ResponseCheck } from './response-check.ts';
import type { Emulation } from './structured-emulation.ts';

const nextTurn = () => new Promise(setImmediate);
const emulation: Emulation = { structure: { choice: ['yes', 'no'] }, field: 'guided_choice', retries: 0 };
const { signal } = new AbortController();

function checked() {
  const source = new ScriptedGeneration();
  const { received, sink } = sinkOf();
  const newCheck = () => new ResponseCheck(emulation, { prefix: '', signal, mayStop: false });
  const running = new CheckedEvents(source, { emulation, newCheck }).start(sink);
  const say = (choice: number, text: string) => source.sink?.text(choice, text, 1, undefined);
  const finish = (choice: number) => source.sink?.event({ type: 'finish', choice, reason: 'stop' });
  return { source, received, running, say, finish };
}

it('gives what comes while a verdict is waited for after it, in order, and has its source wait', async () => {
  const { source, received, say, finish } = checked();
  say(0, 'ye');
  say(1, 'n');
  say(0, 's');
  finish(0);
  say(1, 'o');
  finish(1);
  source.sink?.end();
  expect([received, source.calls]).toEqual([['ye', 'n', 's'], ['pause']]);
  await nextTurn();
  expect(received).toEqual(['ye', 'n', 's', 'finish', 'o', 'finish', 'end']);
  expect(source.calls.at(-1)).toBe('resume');
});

it('does not resume a source whose reader has it wait', async () => {
  const { source, running, say, finish } = checked();
  say(0, 'no');
  running.pause();
  finish(0);
  await nextTurn();
  expect(source.calls).toEqual(['pause', 'pause']);
  running.resume();
  expect(source.calls).toEqual(['pause', 'pause', 'resume']);
});

it('fails at the first wrong character, and ends its source', () => {
  const { source, received, say } = checked();
  say(0, 'ye');
  say(0, 'p');
  say(0, 's');
  expect([received.length, received[0], source.calls]).toEqual([2, 'ye', ['cancel']]);
});

it('fails where the whole is wrong', async () => {
  const { source, received, say, finish } = checked();
  say(0, 'ye');
  finish(0);
  source.sink?.end();
  await nextTurn();
  expect([received.length, received[0], source.calls]).toEqual([2, 'ye', ['pause', 'cancel']]);
});

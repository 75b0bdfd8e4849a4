import { describe, expect, it } from 'vitest';
import { ScriptedGeneration, sinkOf } from '../../test/support/scripted-generation.ts';
import { merge } from './merge.ts';

function merged() {
  const [a, b] = [new ScriptedGeneration(), new ScriptedGeneration()];
  const { received, sink } = sinkOf();
  return { a, b, received, running: merge([a, b]).start(sink) };
}

describe('merge', () => {
  it('gives events as they come and ends when all have ended', () => {
    const { a, b, received } = merged();
    b.sink?.text(1, 'b1', 1, undefined);
    a.sink?.text(0, 'a1', 1, undefined);
    a.sink?.event({ type: 'finish', choice: 0, reason: 'stop' });
    a.sink?.end();
    expect(received).toEqual(['b1', 'a1', 'finish']);
    b.sink?.end();
    expect(received).toEqual(['b1', 'a1', 'finish', 'end']);
  });

  it('fails with the first that fails, and ends the others', () => {
    const { a, b, received } = merged();
    a.sink?.text(0, 'kept', 1, undefined);
    b.sink?.fail(new Error('broken'));
    a.sink?.fail(new Error('late'));
    expect([received, a.calls]).toEqual([['kept', 'broken'], ['cancel']]);
  });

  it('pauses, resumes and cancels all', () => {
    const { a, b, received, running } = merged();
    running.pause();
    running.resume();
    running.cancel();
    a.sink?.text(0, 'late', 1, undefined);
    expect([a.calls, b.calls, received]).toEqual([['pause', 'resume', 'cancel'], ['pause', 'resume', 'cancel'], []]);
  });
});

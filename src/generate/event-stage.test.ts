import { expect, it } from 'vitest';
import { ScriptedGeneration, sinkOf } from '../../test/support/scripted-generation.ts';
import { EventStage, staged, WithoutReasoning } from './event-stage.ts';

it('passes everything on but what it does otherwise', () => {
  const source = new ScriptedGeneration();
  const { received, sink } = sinkOf();
  const running = staged(source, (out) => new WithoutReasoning(out)).start(sink);
  source.sink?.event({ type: 'reasoning-delta', choice: 0, text: 'Hm' });
  source.sink?.text(0, 'a', 1, undefined);
  source.sink?.event({ type: 'finish', choice: 0, reason: 'stop' });
  running.pause();
  source.sink?.end();
  expect([received, source.calls]).toEqual([['a', 'finish', 'end'], ['pause']]);
});

it('passes a failure on', () => {
  const { received, sink } = sinkOf();
  new EventStage(sink).fail(new Error('broken'));
  expect(received).toEqual(['broken']);
});

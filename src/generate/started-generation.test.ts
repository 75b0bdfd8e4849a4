import { expect, it } from 'vitest';
import { ScriptedGeneration, sinkOf } from '../../test/support/scripted-generation.ts';
import { startedGeneration } from './started-generation.ts';

const nextTurn = () => new Promise(setImmediate);

it('resolves with its first event, and passes all of them to its sink', async () => {
  const source = new ScriptedGeneration();
  const started = startedGeneration(source);
  source.sink?.text(0, 'a', 1, undefined);
  source.sink?.text(0, 'b', 1, undefined);
  const generation = await started;
  expect(source.calls).toEqual(['pause']);
  const { received, sink } = sinkOf();
  generation.start(sink);
  expect(received).toEqual([]);
  await nextTurn();
  source.sink?.text(0, 'c', 1, undefined);
  source.sink?.end();
  expect([received, source.calls]).toEqual([
    ['ab', 'c', 'end'],
    ['pause', 'resume'],
  ]);
});

it('rejects if its source fails before the first event; its sink gets later failures', async () => {
  const early = new ScriptedGeneration();
  const failing = startedGeneration(early);
  early.sink?.fail(new Error('too long'));
  await expect(failing).rejects.toThrow('too long');
  const late = new ScriptedGeneration();
  const started = startedGeneration(late);
  late.sink?.text(0, 'a', 1, undefined);
  late.sink?.fail(new Error('broken'));
  const { received, sink } = sinkOf();
  (await started).start(sink);
  await nextTurn();
  expect(received).toEqual(['a', 'broken']);
});

it('is over once it is cancelled', async () => {
  const source = new ScriptedGeneration();
  const started = startedGeneration(source);
  source.sink?.event({ type: 'prompt-tokens', count: 1 });
  const { received, sink } = sinkOf();
  (await started).start(sink).cancel();
  await nextTurn();
  expect([received, source.calls]).toEqual([[], ['pause', 'cancel']]);
});

it('fails if the sink throws on buffered events', async () => {
  const source = new ScriptedGeneration();
  const started = startedGeneration(source);
  source.sink?.text(0, 'a', 1, undefined);
  const { received, sink } = sinkOf();
  const broken = () => {
    throw new Error('no room');
  };
  (await started).start({ ...sink, text: broken });
  await nextTurn();
  expect(received).toEqual(['no room']);
});

import { expect, it } from 'vitest';
import { ScriptedGeneration, sinkOf } from '../../test/support/scripted-generation.ts';
import { begunGeneration } from './begun-generation.ts';

const nextTurn = () => new Promise(setImmediate);

it('resolves with its first event, and passes all of them to its sink', async () => {
  const source = new ScriptedGeneration();
  const begun = begunGeneration(source);
  source.sink?.text(0, 'a', 1, undefined);
  source.sink?.text(0, 'b', 1, undefined);
  const generation = await begun;
  expect(source.calls).toEqual(['pause']);
  const { heard, sink } = sinkOf();
  generation.start(sink);
  expect(heard).toEqual([]);
  await nextTurn();
  source.sink?.text(0, 'c', 1, undefined);
  source.sink?.end();
  expect([heard, source.calls]).toEqual([
    ['ab', 'c', 'end'],
    ['pause', 'resume'],
  ]);
});

it('rejects if its source fails before the first event; its sink gets later failures', async () => {
  const early = new ScriptedGeneration();
  const failing = begunGeneration(early);
  early.sink?.fail(new Error('too long'));
  await expect(failing).rejects.toThrow('too long');
  const late = new ScriptedGeneration();
  const begun = begunGeneration(late);
  late.sink?.text(0, 'a', 1, undefined);
  late.sink?.fail(new Error('broken'));
  const { heard, sink } = sinkOf();
  (await begun).start(sink);
  await nextTurn();
  expect(heard).toEqual(['a', 'broken']);
});

it('is over once it is cancelled', async () => {
  const source = new ScriptedGeneration();
  const begun = begunGeneration(source);
  source.sink?.event({ type: 'prompt-tokens', count: 1 });
  const { heard, sink } = sinkOf();
  (await begun).start(sink).cancel();
  await nextTurn();
  expect([heard, source.calls]).toEqual([[], ['pause', 'cancel']]);
});

it('fails if the sink throws on buffered events', async () => {
  const source = new ScriptedGeneration();
  const begun = begunGeneration(source);
  source.sink?.text(0, 'a', 1, undefined);
  const { heard, sink } = sinkOf();
  const broken = () => {
    throw new Error('no room');
  };
  (await begun).start({ ...sink, text: broken });
  await nextTurn();
  expect(heard).toEqual(['no room']);
});

import { expect, it } from 'vitest';
import { outcomeOf } from '../../test/support/scripted-model.ts';
import type { GenerateEvent, GenerateEvents } from '../contracts/events.ts';
import { stepped, withoutReasoning } from './event-step.ts';

const said = (text: string): GenerateEvent => ({ type: 'text-delta', choice: 0, text, tokens: 1, logprobs: undefined });
const thought: GenerateEvent = { type: 'reasoning-delta', choice: 0, text: 'Hm' };

function source(batches: readonly (readonly GenerateEvent[])[]) {
  const heard: string[] = [];
  const events = (async function* (): GenerateEvents {
    try {
      for (const batch of batches) yield [...batch];
    } finally {
      heard.push('left');
    }
  })();
  return { events, heard };
}

it('gives the batches of a step, but no empty ones', async () => {
  const { events } = source([[thought], [said('a'), thought], [said('b')]]);
  const batches: GenerateEvent[][] = [];
  for await (const batch of stepped(events, withoutReasoning)) batches.push(batch);
  expect(batches).toEqual([[said('a')], [said('b')]]);
});

it('gives what a step held back in the end', async () => {
  const held: GenerateEvent[] = [];
  const step = {
    push: (event: GenerateEvent) => void held.push(event),
    end: (out: GenerateEvent[]) => void out.push(...held),
  };
  expect(await outcomeOf(stepped(source([[said('a')], [said('b')]]).events, step))).toEqual({
    events: [said('a'), said('b')],
  });
});

it('ends what is before a step when it is left', async () => {
  const { events, heard } = source([[said('a')], [said('b')]]);
  const after = stepped(events, withoutReasoning);
  await after.next();
  await after.return?.();
  expect([heard, await after.next()]).toEqual([['left'], { done: true, value: undefined }]);
});

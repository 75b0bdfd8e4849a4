import { expect, it } from 'vitest';
import { EventList } from '../../test/support/scripted-model.ts';
import { HeldEvents } from './held-events.ts';

it('gives what it held in its order, plain text of one choice together', () => {
  const held = new HeldEvents();
  const logprobs = [{ id: 1, text: 'd', logprob: -1, top: [] }];
  held.event({ type: 'prompt-tokens', count: 3 });
  held.text(0, 'a', 1, undefined);
  held.text(0, 'b', 2, undefined);
  held.text(1, 'c', 1, undefined);
  held.text(1, 'd', 1, logprobs);
  held.text(1, 'e', 1, undefined);
  held.event({ type: 'finish', choice: 1, reason: 'stop' });
  held.text(1, 'f', 0, undefined);
  const list = new EventList();
  held.give(list);
  const text = (choice: number, words: string, tokens: number) => ({ type: 'text-delta', choice, text: words, tokens });
  expect(list.take()).toEqual([
    { type: 'prompt-tokens', count: 3 },
    { ...text(0, 'ab', 3), logprobs: undefined },
    { ...text(1, 'c', 1), logprobs: undefined },
    { ...text(1, 'd', 1), logprobs },
    { ...text(1, 'e', 1), logprobs: undefined },
    { type: 'finish', choice: 1, reason: 'stop' },
    { ...text(1, 'f', 0), logprobs: undefined },
  ]);
  held.give(list);
  expect(list.take()).toEqual([]);
});

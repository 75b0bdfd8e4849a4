import { describe, expect, it } from 'vitest';
import { plainReader } from '../../test/support/reader-options.ts';
import { EventList } from '../../test/support/scripted-model.ts';
import { CompletionText } from '../output/completion-text.ts';
import { ChoiceReader, type ReaderOptions } from './choice-reader.ts';
import type { Tally } from './tally.ts';

function tallyOf(parts: Partial<Tally> = {}): Tally {
  return {
    promptTokens: undefined,
    cachedTokens: undefined,
    reasoningTokens: undefined,
    completionTokens: 0,
    unfinished: 1,
    finishReasons: [],
    ...parts,
  };
}

function readerOf(parts: Partial<ReaderOptions> = {}) {
  const tally = parts.tally ?? tallyOf();
  const reader = new ChoiceReader({
    ...plainReader,
    ...parts,
    tally,
  });
  const list = new EventList();
  reader.begin(list);
  return { reader, tally, list };
}

const stopping =
  (stops: string[], keepsStop = false) =>
  () =>
    new CompletionText({ stops, keepsStop, skipSpecialTokens: true, continuesText: false });
const text = (choice: number, words: string, tokens = 1) => ({
  type: 'text-delta',
  choice,
  text: words,
  tokens,
  logprobs: undefined,
});

describe('a choice', () => {
  it('is text, a finish and the usage, as a decoder finds them', () => {
    const { reader, tally, list } = readerOf({ prefix: 'So ' });
    reader.promptTokens(7);
    reader.cachedTokens(9);
    const [times, later] = [
      { queue: 1, prefill: 5, decode: 9 },
      { queue: 2, prefill: 4, decode: 8 },
    ];
    reader.engineReport({ times, cacheHitRate: 0.75, drafts: { proposed: 4, accepted: 3 } });
    reader.engineReport({ times: later, cacheHitRate: 0.5, drafts: { proposed: 2, accepted: 0 } });
    reader.engineReport({});
    reader.text('a', 1, undefined);
    expect(list.take()).toEqual([text(0, 'So ', 0), { type: 'prompt-tokens', count: 7 }, text(0, 'a')]);
    expect([reader.isComplete, reader.isEnded]).toEqual([false, false]);
    reader.text('b', 2, undefined);
    reader.finish('stop');
    reader.text('late', 1, undefined);
    expect(list.take()).toEqual([
      text(0, 'b', 2),
      { type: 'finish', choice: 0, reason: 'stop' },
      { type: 'usage', promptTokens: 7, completionTokens: 3, cachedTokens: 7, draftTokens: 6, acceptedTokens: 3 },
    ]);
    expect([reader.isComplete, reader.isEnded, tally.finishReasons]).toEqual([true, true, ['stop']]);
    expect([tally.engineTimes, tally.cacheHitRate]).toEqual([{ queue: 2, prefill: 5, decode: 9 }, 0.5]);
  });

  it.each<[string, Partial<ReaderOptions>, 'stop' | 'length']>([
    ['has fewer tokens than it may', { maxTokens: 3 }, 'stop'],
    ['has all the tokens that it may', { maxTokens: 2 }, 'length'],
    ['fills the context with its prompt', { context: 9, promptLength: 7 }, 'length'],
    ['leaves room in the context', { context: 10, promptLength: 7 }, 'stop'],
  ])('that %s ended by that where the backend does not say', (_, parts, reason) => {
    const { reader, list } = readerOf(parts);
    reader.text('ab', 2, undefined);
    reader.finish(undefined);
    expect(list.take()).toContainEqual({ type: 'finish', choice: 0, reason });
  });

  it('ends at a stop sequence, which the backend has not said', () => {
    const { reader, list } = readerOf({ newText: stopping(['END']) });
    for (const piece of ['one E', 'N', 'D two']) reader.text(piece, 1, undefined);
    expect([reader.isComplete, reader.isEnded]).toEqual([true, false]);
    reader.finish('length');
    expect(list.take().filter(({ type }) => type !== 'usage')).toEqual([
      text(0, 'one '),
      text(0, ''),
      text(0, ''),
      { type: 'finish', choice: 0, reason: 'stop', stopText: 'END' },
    ]);
  });

  it('gives what it held back when nothing more comes', () => {
    const { reader, list } = readerOf({ newText: stopping(['END']) });
    reader.text('one EN', 1, undefined);
    reader.finish('stop');
    expect(list.take().slice(0, 3)).toEqual([
      text(0, 'one '),
      text(0, 'EN', 0),
      { type: 'finish', choice: 0, reason: 'stop' },
    ]);
  });

  it('is counted from its text where the backend does not say how many tokens it has', async () => {
    const { reader, tally, list } = readerOf({ countTokens: async (words) => words.length, promptLength: 2 });
    reader.text('abc', 1, undefined);
    reader.finish('stop');
    expect(reader.isComplete).toBe(true);
    expect(list.take()).toEqual([{ type: 'prompt-tokens', count: 2 }, text(0, 'abc')]);
    await reader.count();
    expect(list.take()).toEqual([{ type: 'finish', choice: 0, reason: 'stop' }]);
    expect([tally.completionTokens, reader.count()]).toEqual([3, undefined]);
  });
});

it('reads several choices of one inference, the last of which reports the usage', () => {
  const { reader, list } = readerOf({ choice: 2, choices: 2, tally: tallyOf({ unfinished: 2 }) });
  reader.promptTokens(1);
  reader.text('a', 1, undefined, 0);
  reader.finish('stop', 0);
  expect(reader.isComplete).toBe(false);
  reader.text('b', 1, undefined, 1);
  reader.finish('length', 1);
  expect(list.take()).toEqual([
    { type: 'prompt-tokens', count: 1 },
    text(2, 'a'),
    { type: 'finish', choice: 2, reason: 'stop' },
    text(3, 'b'),
    { type: 'finish', choice: 3, reason: 'length' },
    { type: 'usage', promptTokens: 1, completionTokens: 2 },
  ]);
});

it('counts the prompt of a choice once', () => {
  const { reader, tally, list } = readerOf({ countsPrompt: false, reportsPrompt: false });
  reader.promptTokens(4);
  reader.cachedTokens(4);
  expect([list.take(), tally.promptTokens, tally.cachedTokens]).toEqual([[], undefined, undefined]);
});

it('gives nothing any more once it is closed', () => {
  const { reader, list, tally } = readerOf();
  reader.text('a', 1, undefined);
  reader.close();
  reader.text('b', 1, undefined);
  reader.finish('stop');
  expect([list.take(), tally.completionTokens, reader.isComplete]).toEqual([[text(0, 'a')], 2, true]);
});

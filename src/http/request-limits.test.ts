import { describe, expect, it } from 'vitest';
import type { ApiError } from '../errors.ts';
import {
  checkLimits,
  countChoices,
  countContents,
  countItems,
  countMessages,
  countOptionsStop,
  countStop,
  countStopSequences,
  countTools,
} from './request-limits.ts';

const limits = { messages: 2, tools: 2, stopStrings: 2, choices: 4 };

const all = [
  countMessages,
  countContents,
  countTools,
  countStop,
  countStopSequences,
  countOptionsStop,
  countItems,
  countChoices,
];

function refusal(body: unknown): unknown {
  try {
    checkLimits(body, all, limits);
    return undefined;
  } catch (error) {
    const { code, param, message } = error as ApiError;
    return { code, param, message };
  }
}

const results = (count: number) => Array.from({ length: count }, () => ({ type: 'tool_result' }));
const responses = (count: number) => Array.from({ length: count }, () => ({ functionResponse: {} }));
const text = { type: 'text', text: 'a' };

describe('the counts of a request', () => {
  it.each([
    [{ messages: [{}, {}], tools: [{}, {}], stop: ['a', 'b'], n: 4 }],
    [{ messages: [{ content: results(2) }] }],
    [{ messages: [{ content: [...results(1), text, text] }] }],
    [{ messages: [{ content: [text, text, text] }, { content: 'text' }] }],
    [{ contents: [{ parts: responses(1) }, { parts: [] }] }],
    [{ contents: [{ parts: [text, text, text] }, 'no object'] }],
    [{ prompt: ['a', 'b'], n: 2 }],
    [{ prompt: [1, 2, 3, 4, 5, 6], n: 4 }],
    [{ input: ['a', 'b', 'c'] }],
    [{ input: [1, 2, 3] }],
    [{ stop: 'long text', messages: 'no list', n: '9', prompt: null }],
    [{ options: 'no object', stop: null }],
    [{ options: { stop: 'long text' } }],
    [[]],
    [null],
    ['text'],
  ])('lets %j through', (body) => expect(refusal(body)).toBeUndefined());

  it.each([
    [{ messages: [{}, {}, {}] }, 'messages', 'messages: must have at most 2 entries (--max-messages), not 3.'],
    [
      { messages: [{ content: results(2) }, { content: 'text' }] },
      'messages',
      'messages: must have at most 2 messages (--max-messages), not 3: each tool_result block is a message.',
    ],
    [
      { messages: [{ content: [...results(2), text] }] },
      'messages',
      'messages: must have at most 2 messages (--max-messages), not 3: each tool_result block is a message.',
    ],
    [{ contents: [{}, {}, {}] }, 'contents', 'contents: must have at most 2 entries (--max-messages), not 3.'],
    [
      { contents: [{ parts: responses(3) }] },
      'contents',
      'contents: must have at most 2 messages (--max-messages), not 3: each functionResponse part is a message.',
    ],
    [{ input: [{}, {}, {}] }, 'input', 'input: must have at most 2 entries (--max-messages), not 3.'],
    [{ tools: [{}, {}, {}] }, 'tools', 'tools: must have at most 2 entries (--max-tools), not 3.'],
    [{ stop: ['a', 'b', 'c'] }, 'stop', 'stop: must have at most 2 entries (--max-stop-strings), not 3.'],
    [
      { stop_sequences: ['a', 'b', 'c'] },
      'stop_sequences',
      'stop_sequences: must have at most 2 entries (--max-stop-strings), not 3.',
    ],
    [
      { options: { stop: ['a', 'b', 'c'] } },
      'options.stop',
      'options.stop: must have at most 2 entries (--max-stop-strings), not 3.',
    ],
    [{ n: 5 }, 'n', 'n: must give at most 4 choices (--max-choices), not 5.'],
    [{ prompt: ['a', 'b'], n: 3 }, 'n', 'n: must give at most 4 choices (--max-choices), not 6 for 2 prompts.'],
    [{ n: 1, best_of: 5 }, 'best_of', 'best_of: must give at most 4 choices (--max-choices), not 5.'],
    [{ prompt: [[1], [2], [3], [4], [5]] }, 'prompt', 'prompt: must have at most 4 entries (--max-choices), not 5.'],
  ])('refuses %j', (body, param, message) =>
    expect(refusal(body)).toEqual({ code: 'invalid_request', param, message }),
  );

  it('checks only the limits of its endpoint', () => {
    expect(() => checkLimits({ messages: [1, 2, 3], n: 9 }, [countTools], limits)).not.toThrow();
  });
});

import { describe, expect, it } from 'vitest';
import { ChatResponse } from './chat-response.ts';
import type { ChatResult } from './server.ts';
import { endText, statsText, totalText } from './stats.ts';

function responded(events: readonly object[], more: Partial<Omit<ChatResult, 'response'>> = {}): ChatResult {
  const response = new ChatResponse();
  for (const event of events) response.take(JSON.stringify(event));
  return { response, timing: { toFirst: undefined, fromFirst: 0 }, wasStopped: false, ...more };
}

const usage = { usage: { prompt_tokens: 12, completion_tokens: 34 } };

describe('statsText', () => {
  it('says what is known', () => {
    expect(statsText(responded([usage], { timing: { toFirst: 56.4, fromFirst: 660 } }))).toBe(
      '12 tokens in, 34 out, first after 56 ms, 50.0 tokens/s',
    );
    expect(statsText(responded([usage], { timing: { toFirst: 56.4, fromFirst: 0 } }))).toBe(
      '12 tokens in, 34 out, first after 56 ms',
    );
    expect(statsText(responded([]))).toBe('no usage from the server');
    expect(totalText({ prompt: 3, completion: 4 })).toBe('3 tokens in, 4 out in all');
  });
});

describe('endText', () => {
  const text = { choices: [{ delta: { content: 'A' }, finish_reason: null }] };
  const end = (reason: string) => ({ choices: [{ delta: {}, finish_reason: reason }] });
  it.each<[string, object[], boolean, string | undefined]>([
    ['whole', [text, end('stop')], false, undefined],
    ['stopped', [text], true, 'stopped'],
    ['long', [text, end('length')], false, 'stopped at the token limit: raise it with /set max_tokens N'],
    ['filtered', [text, end('content_filter')], false, "stopped by the server's content filter"],
    ['empty', [end('stop')], false, 'empty response'],
  ])('of one that is %s', (_, events, wasStopped, words) => {
    expect(endText(responded(events, { wasStopped }), '/set max_tokens N')).toBe(words);
  });

  it('names the flag where there are no commands', () => {
    expect(endText(responded([text, end('length')]), '--set max_tokens=N')).toBe(
      'stopped at the token limit: raise it with --set max_tokens=N',
    );
  });
});

import { expect, it } from 'vitest';
import { mergeViews } from './merge-server-views.ts';
import type { ServerView } from './servers.ts';

const error = { code: 'UNAVAILABLE', message: 'gone', model: 'm', at: 7 } as const;

function view(changes: Partial<ServerView> = {}): ServerView {
  return {
    id: 'a:8001',
    object: 'server',
    kind: 'triton',
    state: 'ready',
    ready: true,
    running: 1,
    requests: 10,
    failures: 2,
    retried: 1,
    failure_rate: 0.1,
    ejected_seconds: 0,
    weight: 1,
    first_response_ms: null,
    last_error: null,
    models: [{ name: 'm', state: 'READY', breaker: 'closed' }],
    ...changes,
  };
}

it('adds what several processes count, and shows the worst of what they see', () => {
  const other = view({
    state: 'ejected',
    ready: false,
    running: 2,
    failure_rate: 0.5,
    ejected_seconds: 3,
    weight: 0.4,
    first_response_ms: 12,
    last_error: error,
    models: [{ name: 'm', state: 'FAILED', breaker: 'open' }],
  });
  const alone = view({ id: 'b:8001' });
  const expected = {
    ...other,
    running: 3,
    requests: 20,
    failures: 4,
    retried: 2,
  };
  expect(mergeViews([[view(), alone], [other]])).toEqual([expected, alone]);
  expect(mergeViews([[other], [view(), alone]])).toEqual([expected, alone]);
  expect(mergeViews([[alone]])).toEqual([alone]);
});

import { expect, it } from 'vitest';
import { structuredThread } from './structured-thread.ts';

const never = new AbortController().signal;

it('drops cancelled checks, and continues with the others', async () => {
  const left = new AbortController();
  const slow = structuredThread.judge({ regex: '(a+)+#' }, 'a'.repeat(60), never);
  const dropped = structuredThread.judge({ regex: '(a+)+#' }, 'a'.repeat(60), left.signal);
  const next = structuredThread.judge({ json_object: true }, '{}', never);
  left.abort(new Error('left'));
  await expect(dropped).rejects.toThrow('left');
  expect([await slow, await next]).toEqual([
    { kind: 'undecided', message: 'takes too long to check against a response. Simplify it.' },
    { kind: 'valid' },
  ]);
});

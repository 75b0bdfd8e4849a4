import { expect, it } from 'vitest';
import { failedPart } from './engine-failure.ts';
import { StatusError } from './status.ts';

it.each([
  ['Error generating stream: EngineCore encountered an issue. See stack trace (above) for the root cause.', 'engine'],
  ['EngineCore encountered an issue. See stack trace (above) for the root cause.', 'engine'],
  ["Stub process 'smollm2_0_0' is not healthy.", 'stub'],
  [
    "Failed to process the request(s) for model instance 'smollm2_0_0', message: Stub process 'smollm2_0_0' is not healthy.",
    'stub',
  ],
  ["LoRA EngineCore encountered an issue. See stack trace is not supported, we currently support ['a']", undefined],
  ['The decoder prompt cannot be empty', undefined],
])('reads %s', (text, part) => {
  expect(failedPart(new StatusError('INTERNAL', text))).toBe(part);
});

it('says nothing of a server that cannot be reached, nor of other errors', () => {
  const text = 'EngineCore encountered an issue. See stack trace (above) for the root cause.';
  expect(failedPart(new StatusError('UNAVAILABLE', text, { unreachable: true }))).toBeUndefined();
  expect(failedPart(new Error(text))).toBeUndefined();
});

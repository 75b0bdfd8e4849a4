import { expect, it } from 'vitest';
import { failedPart, isSuspect, markSuspect } from './engine-failure.ts';
import { StatusError } from './status.ts';

it.each([
  ['Error generating stream: EngineCore encountered an issue. See stack trace (above) for the root cause.', 'engine'],
  ['EngineCore encountered an issue. See stack trace (above) for the root cause.', 'engine'],
  ["Stub process 'smollm2_0_0' is not healthy.", 'stub'],
  [
    "Failed to process the request(s) for model instance 'smollm2_0_0', message: Stub process 'smollm2_0_0' is not healthy.",
    'stub',
  ],
  ['Model is unavailable due to unhealthy vLLM engine', 'engine'],
  ['Engine unavailable: EngineCore encountered an issue.', 'engine'],
  ['Engine unavailable: the model is being unloaded, because the engine has failed. Load it again.', 'engine'],
  ['Engine unavailable: the model is being unloaded.', undefined],
  ['Error generating stream: Background loop has errored already.', 'engine'],
  [
    'Background loop is not running. If it was running, inspect the output to find the stacktrace of the error that caused ' +
      'the background loop to stop (AsyncEngineDeadError).',
    'engine',
  ],
  [
    "Error generating stream: Engine loop is not running. Inspect the stacktrace to find the original error: RuntimeError('x').",
    'engine',
  ],
  ["LoRA unhealthy vLLM engine is not supported, we currently support ['a']", undefined],
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

it('remembers which errors are those of suspects', () => {
  const text = 'EngineCore encountered an issue. See stack trace (above) for the root cause.';
  const [first, second] = [new StatusError('INTERNAL', text), new StatusError('INTERNAL', text)];
  markSuspect(first);
  expect([first, second, text, null, undefined].map((error) => isSuspect(error))).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});

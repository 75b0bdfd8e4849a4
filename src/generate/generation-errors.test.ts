import { expect, it } from 'vitest';
import { markSuspect } from '../kserve/engine-failure.ts';
import { ResponseTimeoutError } from '../kserve/response-timeout-error.ts';
import { markRetried } from '../kserve/retried-errors.ts';
import { StatusError } from '../kserve/status.ts';
import { cleanText, generationError } from './generation-errors.ts';

it.each([
  [
    new ResponseTimeoutError('first', 5),
    'The model did not start its response within the time limit for the first token.',
  ],
  [new ResponseTimeoutError('next', 5), 'The model paused its response for longer than the time limit between tokens.'],
  [new StatusError('DEADLINE_EXCEEDED', 'x'), 'The response was not complete within the time limit.'],
])('names the time that ran out: %s', (error, message) => {
  const location = { contract: { explain: () => undefined }, fields: {}, signal: new AbortController().signal };
  expect(generationError(error, location)).toMatchObject({
    code: 'deadline_exceeded',
    status: 504,
    message,
    cause: error,
  });
});

it.each([
  ["Stub process 'm_0_0' is not healthy.", 'The backend process behind this model has failed.'],
  ['Error generating stream: EngineDeadError', 'The engine behind this model has failed.'],
])('says of every contract what has failed: %s', (text, message) => {
  const location = { contract: { explain: () => undefined }, fields: {}, signal: new AbortController().signal };
  const error = new StatusError('UNKNOWN', text);
  expect(generationError(error, location)).toMatchObject({
    code: 'model_not_ready',
    message,
    retryAfter: 10,
    headers: {},
    cause: error,
  });
  markSuspect(error);
  expect(generationError(error, location).isFinal).toBe(true);
});

it.each([
  ['a failure of the backend', new StatusError('INTERNAL', 'out of blocks'), true],
  ['a timeout', new ResponseTimeoutError('first', 5), true],
  ['an unreachable server', new StatusError('UNAVAILABLE', 'gone', { unreachable: true }), false],
  ['a full queue', new StatusError('UNAVAILABLE', 'Exceeds maximum queue size'), false],
])('tells clients not to retry what Conch has retried: %s', (_, error, isFinal) => {
  const location = { contract: { explain: () => undefined }, fields: {}, signal: new AbortController().signal };
  expect(generationError(error, location).isFinal).toBe(false);
  markRetried(error);
  expect(generationError(error, location).isFinal).toBe(isFinal);
});

it.each([
  ['Error generating stream: out of blocks', 'out of blocks'],
  ['[request id: abc-1] out of blocks', 'out of blocks'],
  ['  a/b testing is 50/50  ', 'a/b testing is 50/50'],
])('shows %s to a client', (text, displayed) => {
  expect(cleanText(text)).toBe(displayed);
});

it.each([
  'two\nlines',
  'Traceback (most recent call last)',
  'cannot open /opt/models/weights.bin',
  'cannot open C:\\models\\weights.bin',
  'failed in model.py',
  'object at 0x7f0011223344',
  'no route to 10.0.0.12',
  "'NoneType' object has no attribute 'x'",
  'x'.repeat(301),
])('shows nothing of %s', (text) => {
  expect(cleanText(text)).toBe('');
});

import { expect, it } from 'vitest';
import { rateHeaders } from './rate-headers.ts';

it.each([
  [0, '0ms'],
  [120, '120ms'],
  [999.2, '1000ms'],
  [1_000, '1s'],
  [59_100, '1m0s'],
  [90_000, '1m30s'],
])('writes %sms as OpenAI does: %s', (fullIn, written) => {
  expect(rateHeaders('tokens', { name: 'a', perMinute: 60 }, { left: -3, fullIn })).toEqual({
    'x-ratelimit-limit-tokens': '60',
    'x-ratelimit-remaining-tokens': '0',
    'x-ratelimit-reset-tokens': written,
  });
});

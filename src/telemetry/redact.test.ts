import { describe, expect, it } from 'vitest';
import { redactor } from './redact.ts';

describe('redactor', () => {
  const redact = redactor(['sesame-7', 'sesame-77', 'with "quotes"', 'a b/c', 'no']);

  it.each([
    ['the key sesame-7 is wrong', 'the key [redacted] is wrong'],
    ['sesame-77', '[redacted]'],
    [JSON.stringify({ key: 'with "quotes"' }), '{"key":"[redacted]"}'],
    ['/path?key=a%20b%2Fc', '/path?key=[redacted]'],
    ['no key is too short to be one', 'no key is too short to be one'],
    ['Authorization: Bearer abc.def-1', 'Authorization: Bearer [redacted]'],
    ['Send it in the header "Authorization: Bearer KEY".', 'Send it in the header "Authorization: Bearer KEY".'],
    ['token eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl end', 'token [redacted] end'],
    ['postgres://conch:hunter2@db/responses', 'postgres://conch:[redacted]@db/responses'],
    ['redis://:hunter2@cache:6379', 'redis://:[redacted]@cache:6379'],
    ['somebody@example.com wrote http://a:80/@b', 'somebody@example.com wrote http://a:80/@b'],
  ])('makes of %s', (line, clean) => {
    expect(redact(line)).toBe(clean);
  });
});

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
    ['/v1/x-eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln/rest', '/v1/x-[redacted]/rest'],
    ['long.prefix-and.eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln', 'long.prefix-and.[redacted]'],
    ['triton-0.triton.default.svc answers', 'triton-0.triton.default.svc answers'],
    ['curl -H "Authorization: Bearer $CONCH_API_KEY"', 'curl -H "Authorization: Bearer $CONCH_API_KEY"'],
    ['Bearer $ecret', 'Bearer [redacted]'],
    ['postgres://conch:hunter2@db/responses', 'postgres://conch:[redacted]@db/responses'],
    ['redis://:hunter2@cache:6379', 'redis://:[redacted]@cache:6379'],
    ['somebody@example.com wrote http://a:80/@b', 'somebody@example.com wrote http://a:80/@b'],
  ])('makes of %s', (line, clean) => {
    expect(redact(line)).toBe(clean);
  });

  it('takes a long word no longer than as many short ones', () => {
    const times = 16;
    const short = `GET /${'eyJ-'.repeat(1024)}`;
    const long = `GET /${'eyJ-'.repeat(1024 * times)}`;
    const timeOf = (work: () => void): number => {
      const start = performance.now();
      work();
      return performance.now() - start;
    };
    const rounds = Array.from({ length: 5 }, () => ({
      many: timeOf(() => Array.from({ length: times }, () => redact(short))),
      one: timeOf(() => redact(long)),
    }));
    const best = (name: 'many' | 'one'): number => Math.min(...rounds.map((round) => round[name]));
    expect(best('one') / best('many')).toBeLessThan(times / 2);
  });
});

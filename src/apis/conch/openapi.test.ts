import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { silentServices, tinyApi } from '../../../test/support/tiny-app.ts';
import { createApp } from '../../http/app.ts';
import { documentEndpoints } from './openapi.ts';

describe('GET /docs', () => {
  it('is a page that may use its own style and nothing else', async () => {
    let reads = 0;
    const endpoints = documentEndpoints(() => {
      reads += 1;
      return [];
    });
    const app = createApp({ ...silentServices(), version: '1' }, [{ ...tinyApi([]), endpoints }]);
    const { statusCode, headers, body } = await app.inject('/docs');
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(body) ?? [];
    const digest = createHash('sha256').update(style).digest('base64');
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
    });
    expect((await app.inject('/docs')).body).toBe(body);
    expect(reads).toBe(1);
  });
});

import { createHash } from 'node:crypto';
import fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { docsRoute } from './docs.ts';

const document = { info: { title: 'T', version: '1', description: 'D' }, paths: {}, components: { schemas: {} } };

describe('GET /docs', () => {
  it('is a page that may use its own style and nothing else', async () => {
    const app = fastify();
    let reads = 0;
    docsRoute(app, () => {
      reads += 1;
      return JSON.stringify(document);
    });
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

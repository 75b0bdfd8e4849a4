import fastify from 'fastify';
import { expect, it } from 'vitest';
import { pageHeaders, securityHeaders } from './security-headers.ts';

it('tells browsers to trust types alone, and pages to trust themselves alone', async () => {
  const app = fastify();
  securityHeaders(app);
  app.get('/page', async (_request, reply) => reply.headers(pageHeaders).send('<p>'));
  const { headers } = await app.inject('/page');
  expect(headers).toMatchObject({ ...pageHeaders, 'x-content-type-options': 'nosniff' });
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect((await app.inject('/nowhere')).headers['x-content-type-options']).toBe('nosniff');
});

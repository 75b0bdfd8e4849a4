import fastify from 'fastify';
import { expect, it } from 'vitest';
import { securityHeaders } from './security-headers.ts';

it('tells browsers to trust types alone', async () => {
  const app = fastify();
  securityHeaders(app);
  app.get('/', async () => 'fine');
  for (const path of ['/', '/nowhere'])
    expect((await app.inject(path)).headers['x-content-type-options']).toBe('nosniff');
});

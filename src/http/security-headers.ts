import type { FastifyInstance } from 'fastify';

/** Tells browsers with every answer that it is what its type says. */
export function securityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff');
    done();
  });
}

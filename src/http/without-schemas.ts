import type { FastifyServerOptions } from 'fastify';

/** Conch checks bodies with its own schemas, so Fastify's compilers, a third of its code, are not loaded. */
export const withoutSchemas: Pick<FastifyServerOptions, 'schemaController'> = {
  schemaController: { compilersFactory: { buildValidator: refused, buildSerializer: refused } },
};

function refused(): never {
  throw new Error('Fastify schemas are not supported. Check the body in the handler.');
}

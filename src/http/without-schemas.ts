import type { FastifyServerOptions } from 'fastify';

/** Bodies are checked by schemas of our own: Fastify's compilers, which are a third of its code, are not even loaded. */
export const withoutSchemas: Pick<FastifyServerOptions, 'schemaController'> = {
  schemaController: { compilersFactory: { buildValidator: refused, buildSerializer: refused } },
};

function refused(): never {
  throw new Error('A route has a schema, and there is no compiler for it.');
}

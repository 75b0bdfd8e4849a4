import type { FastifyRequest } from 'fastify';
import { StatusError } from '../../kserve/status.ts';
import { keyCheck } from '../auth.ts';

/** Says what is wrong with the Authorization header of a request; undefined when it carries the key, or none is needed. */
export type KeyGuard = (authorization: string | undefined) => StatusError | undefined;

/** Guards both frontends with the key of the OpenAI side. */
export function keyGuard(apiKey: string | undefined): KeyGuard {
  if (apiKey === undefined) return () => undefined;
  const check = keyCheck(apiKey);
  return (authorization) => {
    try {
      check({ headers: { authorization } } as FastifyRequest);
      return undefined;
    } catch (error) {
      return new StatusError('UNAUTHENTICATED', error instanceof Error ? error.message : String(error));
    }
  };
}

import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors.ts';
import { nestsDeeper } from './json-depth.ts';

/** What bodies may be. It may change while Conch runs. */
export interface BodyLimits {
  /** How deep lists and objects may stand in each other. */
  readonly maxJsonDepth: number;
}

/** Takes bodies of JSON alone. How deep they are is looked at before they are parsed: all that follows may recurse. */
export function jsonBodies(app: FastifyInstance, limits: BodyLimits): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (nestsDeeper(body, limits.maxJsonDepth)) done(tooDeep(limits.maxJsonDepth));
    else void parse(request, body, done);
  });
}

function tooDeep(most: number): ApiError {
  return new ApiError(
    'invalid_json',
    `The body has lists or objects in each other more than ${most} deep (--max-json-depth).`,
  );
}

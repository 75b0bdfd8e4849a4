import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import { decompressBodies } from './body-encoding.ts';
import { withExactSeeds } from './exact-seeds.ts';
import { exceededBound, type JsonBounds } from './json-size.ts';

/** Limits of bodies. The bounds of JSON may change while Conch runs. */
export interface BodyLimits {
  readonly jsonBounds: JsonBounds;
  /** Maximum size of a body, in bytes. */
  readonly maxInputSize: number;
}

/**
 * Accepts only JSON bodies, compressed or not. Their nesting depth and number of values are checked before parsing:
 * parsing many values takes long, and later code may recurse.
 */
export function jsonBodies(app: FastifyInstance, limits: BodyLimits): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  decompressBodies(app, limits.maxInputSize);
  const read: typeof parse = (request, body, done) => {
    const { jsonBounds } = limits;
    const broken = exceededBound(body, jsonBounds);
    if (body === '' && needsNoBody(request)) done(null);
    else if (broken) done(limitError(broken, jsonBounds));
    else void parse(request, body, (error, value) => done(error, error ? value : withExactSeeds(body, value)));
  };
  app.addContentTypeParser('application/json', { parseAs: 'string' }, read);
  app.addContentTypeParser(formType, { parseAs: 'string' }, (request, body: string, done) => {
    if (mayBeUntyped(request)) read(request, body, done);
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(formType));
  });
}

/** Reads a body without a content type as JSON, where clients send it like that. */
export function assumeJson(request: FastifyRequest): void {
  if (request.headers['content-type'] === undefined && mayBeUntyped(request))
    request.headers = { 'content-type': 'application/json' };
}

const formType = 'application/x-www-form-urlencoded';

/**
 * Whether JSON may come without a content type, or with the content type of a form. Web pages can send both to any host
 * without a preflight, but always with an Origin header.
 */
function mayBeUntyped({ endpoint, headers }: FastifyRequest): boolean {
  return endpoint?.takesForms === true && headers.origin === undefined;
}

/** Some clients send the content type of JSON without a body, for example to delete or to cancel. */
function needsNoBody({ endpoint }: FastifyRequest): boolean {
  return endpoint?.operations.every((operation) => operation.request === undefined) ?? false;
}

function limitError(bound: keyof JsonBounds, { depth, values }: JsonBounds): ApiError {
  return new ApiError(
    'invalid_json',
    bound === 'depth'
      ? `Request body is nested too deeply: the limit is ${depth} levels (--max-json-depth).`
      : `Request body has too many values: the limit is ${values} (--max-json-values).`,
  );
}

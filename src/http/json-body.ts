import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import { withExactSeeds } from './exact-seeds.ts';
import { boundBroken, type JsonBounds } from './json-size.ts';

/** What bodies may be. It may change while Conch runs. */
export interface BodyLimits {
  readonly jsonBounds: JsonBounds;
}

/**
 * Takes bodies of JSON alone, as they are. How much stands in them is looked at before they are parsed: that takes long
 * for many values, and all that follows may recurse.
 */
export function jsonBodies(app: FastifyInstance, limits: BodyLimits): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  const read: typeof parse = (request, body, done) => {
    const { jsonBounds } = limits;
    const broken = boundBroken(body, jsonBounds);
    if (broken) done(beyond(broken, jsonBounds));
    else void parse(request, body, (error, value) => done(error, error ? value : withExactSeeds(body, value)));
  };
  app.addContentTypeParser('application/json', { parseAs: 'string' }, read);
  app.addContentTypeParser(form, { parseAs: 'string' }, (request, body: string, done) => {
    if (mayBeForm(request)) read(request, body, done);
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(form));
  });
}

/** What is wrong with a body before it is read: it is compressed. */
export function encodingFault({ headers, endpoint }: FastifyRequest): ApiError | undefined {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || endpoint?.refusal || encoding.trim().toLowerCase() === 'identity') return undefined;
  const message = 'The body must come as it is: send it without the header "Content-Encoding".';
  return new ApiError('unsupported_media_type', message);
}

const form = 'application/x-www-form-urlencoded';

/** Browsers send forms to any host without asking it, and name the page that they come from. */
function mayBeForm({ endpoint, headers }: FastifyRequest): boolean {
  return endpoint?.takesForms === true && headers.origin === undefined;
}

function beyond(bound: keyof JsonBounds, { depth, values }: JsonBounds): ApiError {
  return new ApiError(
    'invalid_json',
    bound === 'depth'
      ? `The body has lists or objects in each other more than ${depth} deep (--max-json-depth).`
      : `The body has more than ${values} values (--max-json-values).`,
  );
}

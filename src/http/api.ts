import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { ApiError } from '../errors.ts';
import type { SelectingHeader } from './header-constraint.ts';
import type { JsonSchema } from './openapi/json-schema.ts';
import type { BodyLimit } from './request-limits.ts';
import type { RestrictedGroup } from './restricted-apis.ts';
import type { TokenEstimator } from './token-estimate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Left out for routes of no API, like those of the KServe frontend. */
    readonly endpoint?: EndpointFacts;
  }

  interface FastifyRequest {
    /** The endpoint of the request; undefined if none matches. */
    endpoint: EndpointFacts | undefined;
  }
}

/** A wire protocol, with everything that the rest of the program needs to know about it. */
export interface Api<Services> {
  readonly name: string;
  /** Paths that belong to this API even if no endpoint matches: their errors have its body. */
  readonly prefixes?: readonly string[];
  readonly errorBody: (error: ApiError, requestId: string) => object;
  /** The error body in the OpenAPI document. */
  readonly errorSchema: NamedSchema;
  /** Headers of every response of this API, errors included. */
  readonly headers?: (requestId: string) => Readonly<Record<string, string>>;
  readonly endpoints: readonly Endpoint<Services>[];
}

/** An endpoint of an API: its route, its checks, its documentation and its handler. */
export interface Endpoint<Services> extends EndpointFacts {
  /** Makes the handler of a path, once, at start-up. */
  readonly handler: (services: Services, path: string) => Handler;
}

export type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** An endpoint without its code. */
export interface EndpointFacts {
  readonly methods: readonly ('GET' | 'POST' | 'DELETE')[];
  /** As Fastify writes them; more than one where an endpoint has aliases. */
  readonly paths: readonly string[];
  /** The header that requests must have to reach it; without the header, they reach another endpoint of the path. */
  readonly header?: SelectingHeader;
  /** The custom method of Google's APIs: what follows the last colon of a path, as in `/v1beta/models/NAME:METHOD`. */
  readonly customMethod?: string;
  /** The group of restricted APIs that it belongs to. */
  readonly group: RestrictedGroup;
  /** The operation name of OpenTelemetry's conventions for generative AI; only if a model runs. */
  readonly operation?: string;
  /** Set if requests do not count towards the limits of their key. */
  readonly isUncounted?: true;
  /** Set if the model's tokenizer is enough, so that requests skip the queue of the model. */
  readonly usesTokenizerOnly?: true;
  /** Set if JSON without a content type, or with the content type of a form, which curl sends, is accepted too. */
  readonly takesForms?: true;
  /** Set if the API key may also be in the query, as `key`. */
  readonly takesKeyInQuery?: true;
  /** The error of an endpoint that is not supported; the body is not read. */
  readonly refusal?: () => ApiError;
  /** Checks the body against the request limits. */
  readonly limits?: readonly BodyLimit[];
  /** Estimates the tokens that a request takes from the limit of its key; left out: none. */
  readonly estimate?: TokenEstimator;
  /** Usually one; several if the rest of the path selects the operation; none for files of the web UI, or with `header`. */
  readonly operations: readonly Operation[];
}

/** A request schema and its name in the OpenAPI document. */
export interface NamedRequest {
  readonly name: string;
  readonly schema: z.ZodObject;
}

/** A response schema and its name in the OpenAPI document. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: JsonSchema;
}

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly tag: string;
  readonly summary: string;
  /** Follows the endpoint's path. */
  readonly suffix?: string;
  readonly request?: NamedRequest;
  readonly query?: z.ZodObject;
  readonly response: NamedSchema | 'text' | 'html' | 'any';
  /** Whether it may stream: server-sent events, or lines of JSON. */
  readonly streams?: 'events' | 'lines';
  readonly example?: object;
  /** The body of a 503 if it is not the API's error: only for health checks. */
  readonly unready?: NamedSchema;
}

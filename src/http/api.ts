import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { ApiError } from '../errors.ts';
import type { JsonSchema } from './openapi/json-schema.ts';
import type { BodyLimit } from './request-limits.ts';
import type { RestrictedGroup } from './restricted-apis.ts';
import type { TokenEstimator } from './token-estimate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Left out of routes that belong to no API, such as those of the KServe frontend. */
    readonly endpoint?: EndpointFacts;
  }

  interface FastifyRequest {
    /** The endpoint that takes the request; undefined where none does. */
    endpoint: EndpointFacts | undefined;
  }
}

/** A wire protocol: everything that the rest of the program must know of it. */
export interface Api<Services> {
  readonly name: string;
  /** Paths that belong to this API even where no endpoint takes them: their errors have its body. */
  readonly prefixes?: readonly string[];
  readonly errorBody: (error: ApiError, requestId: string) => object;
  /** The error body in the OpenAPI document. */
  readonly errorSchema: NamedSchema;
  /** Headers of every response of this API, errors included. */
  readonly headers?: (requestId: string) => Readonly<Record<string, string>>;
  readonly endpoints: readonly Endpoint<Services>[];
}

/** One thing that an API offers: its route, its checks, its documentation and its handler. */
export interface Endpoint<Services> extends EndpointFacts {
  /** Makes the handler of a path, once, at start-up. */
  readonly handler: (services: Services, path: string) => Handler;
}

export type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** What is known of an endpoint without its code. */
export interface EndpointFacts {
  readonly methods: readonly ('GET' | 'POST' | 'DELETE')[];
  /** As Fastify writes them; more than one where an endpoint has aliases. */
  readonly paths: readonly string[];
  /** Which setting of restricted APIs applies. */
  readonly group: RestrictedGroup;
  /** The operation name of OpenTelemetry's conventions for generative AI; only where a model runs. */
  readonly operation?: string;
  /** Set where requests do not count towards the limits of their key. */
  readonly isUncounted?: true;
  /** Set where the model's tokenizer is enough, so that requests do not wait for a place at the model. */
  readonly usesTokenizerOnly?: true;
  /** Set where JSON that is sent as a form is read too: curl sends it like that unless told otherwise. */
  readonly takesForms?: true;
  /** The error of an endpoint that is not offered; the body is not read. */
  readonly refusal?: () => ApiError;
  /** What of the body is counted against the request limits. */
  readonly limits?: readonly BodyLimit[];
  /** How many tokens a request may take of its key; left out: none. */
  readonly estimate?: TokenEstimator;
  /** Usually one; several where the rest of the path decides what is done; none for files of the web UI. */
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
  /** What follows the endpoint's path. */
  readonly suffix?: string;
  readonly request?: NamedRequest;
  readonly query?: z.ZodObject;
  readonly response: NamedSchema | 'text' | 'html' | 'any';
  /** Whether it may stream: server-sent events, or lines of JSON. */
  readonly streams?: 'events' | 'lines';
  readonly example?: object;
  /** The body of a 503, where it is not the API's error: only health checks have one. */
  readonly unready?: NamedSchema;
}

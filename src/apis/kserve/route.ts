import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RestrictedGroup } from '../../http/restricted-apis.ts';
import type { InferenceServer } from '../../kserve/server.ts';
import type { Signal } from '../../signal.ts';
import type { HttpResponse } from './http-response.ts';

/** A request to the HTTP frontend with what its path names. */
export interface Exchange {
  readonly server: InferenceServer;
  readonly sharedMemory: boolean;
  readonly maxInputSize: number;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Empty without a body. */
  readonly body: Buffer;
  /** The named parts of the path, not decoded: Triton does not decode them either. */
  readonly names: Readonly<Record<string, string | undefined>>;
  /** Aborts when the client disconnects. */
  readonly signal: Signal;
}

/** One path of the HTTP frontend. */
export interface Route {
  readonly path: RegExp;
  readonly methods: readonly ('GET' | 'POST')[];
  /** The content type of errors and of empty responses. */
  readonly contentType: string;
  /** The API group, as in Triton; left out: the route cannot be restricted. */
  readonly api?: RestrictedGroup;
  /** Whether the route needs no key. */
  readonly isOpen?: boolean;
  /** Returns undefined if it has written the response itself. */
  respond(exchange: Exchange): Promise<HttpResponse | undefined>;
}

/** The model in the path, as control calls expect it. */
export function modelOf({ names }: Exchange): { readonly name: string; readonly version: string } {
  return { name: names['model'] ?? '', version: names['version'] ?? '' };
}

/** Paths of a model exist with and without a version. */
export function modelPath(end: string): RegExp {
  return new RegExp(`^/v2/models/(?<model>[^/]+)(?:/versions/(?<version>[0-9]+))?${end}$`);
}

const names = new WeakMap<Route, string>();

/** The readable pattern of a route's path, for the metrics. */
export function routeName(route: Route): string {
  const known = names.get(route);
  if (known !== undefined) return known;
  const name = route.path.source
    .replaceAll(/[\^$\\]/g, '')
    .replaceAll(/\(\?:[^()]*\([^()]*\)[^()]*\)\?/g, '')
    .replaceAll(/\(\?<(\w+)>[^()]*\)/g, ':$1');
  names.set(route, name);
  return name;
}

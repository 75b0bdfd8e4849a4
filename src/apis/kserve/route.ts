import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RestrictedGroup } from '../../http/restricted-apis.ts';
import type { InferenceServer } from '../../kserve/server.ts';
import type { Signal } from '../../signal.ts';
import type { Answer } from './answer.ts';

/** A request to the HTTP frontend with what its path names. */
export interface Exchange {
  readonly server: InferenceServer;
  readonly sharedMemory: boolean;
  readonly maxInputSize: number;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Empty without a body. */
  readonly body: Buffer;
  /** The named parts of the path, as they stand there: Triton does not decode them. */
  readonly names: Readonly<Record<string, string | undefined>>;
  /** Aborts when the client leaves. */
  readonly signal: Signal;
}

/** One path of the HTTP frontend. */
export interface Route {
  readonly path: RegExp;
  readonly methods: readonly ('GET' | 'POST')[];
  /** The content type of answers without one of their own: those of failures, and empty ones. */
  readonly contentType: string;
  /** What it belongs to, as Triton parts its APIs; left out: nothing that can be restricted. */
  readonly api?: RestrictedGroup;
  /** Whether it is answered without the key. */
  readonly isOpen?: boolean;
  /** Gives nothing back where it has written the answer itself. */
  answer(exchange: Exchange): Promise<Answer | undefined>;
}

/** The model that a path names, as control calls take it. */
export function modelOf({ names }: Exchange): { readonly name: string; readonly version: string } {
  return { name: names['model'] ?? '', version: names['version'] ?? '' };
}

/** Paths of a model exist with and without a version. */
export function modelPath(end: string): RegExp {
  return new RegExp(`^/v2/models/(?<model>[^/]+)(?:/versions/(?<version>[0-9]+))?${end}$`);
}

const names = new WeakMap<Route, string>();

/** The pattern of a route's path as people write it, for the metrics. */
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

import type { FastifyRequest } from 'fastify';
import { cleanText } from '../../generate/generation-errors.ts';
import type { Endpoint } from '../../http/api.ts';
import { constant, flag, listOf, number, object, orNull, text, whole } from '../../http/openapi/schema-parts.ts';
import { mayUse } from '../../keys/key-holder.ts';
import { StatusError } from '../../kserve/status.ts';
import { mergeViews } from './merge-server-views.ts';

type BreakerState = 'closed' | 'open' | 'half-open';

/** The state of a server; durations in milliseconds. */
export interface ServerReport {
  readonly name: string;
  readonly kind: 'triton' | 'managed' | 'embedded';
  /** Why the last check of the server failed; undefined if it succeeded. */
  readonly error: Error | undefined;
  /** Whether it has ever responded. */
  readonly isKnown: boolean;
  readonly connection: BreakerState;
  readonly running: number;
  readonly requests: number;
  readonly failures: number;
  readonly retried: number;
  readonly failureRate: number;
  readonly ejectedFor: number;
  readonly weight: number;
  readonly firstResponse: number | undefined;
  readonly lastFailure: { readonly error: unknown; readonly model: string; readonly at: number } | undefined;
  readonly models: readonly { readonly name: string; readonly state: string; readonly breaker: BreakerState }[];
}

/** What the endpoint needs. */
export interface ServerServices {
  /** The servers as each process of this Conch sees them. */
  readonly servers: () => Promise<readonly (readonly ServerView[])[]>;
}

const serverSchema = object({
  id: text,
  object: constant('server'),
  kind: { enum: ['triton', 'managed', 'embedded'] },
  state: { enum: ['ready', 'slow-start', 'ejected', 'unreachable', 'unknown'] },
  ready: flag,
  running: whole,
  requests: whole,
  failures: whole,
  retried: whole,
  failure_rate: number,
  ejected_seconds: number,
  weight: number,
  first_response_ms: orNull(number),
  last_error: orNull(object({ code: text, message: text, model: text, at: whole })),
  models: listOf(object({ name: text, state: text, breaker: { enum: ['closed', 'open', 'half-open'] } })),
});

/** GET /v1/servers: the upstream servers and their state. */
export const serversEndpoint: Endpoint<ServerServices> = {
  methods: ['GET'],
  paths: ['/v1/servers'],
  group: 'model-repository',
  operations: [
    {
      tag: 'servers',
      summary: 'Lists the upstream servers with their state.',
      response: { name: 'Servers', schema: object({ object: constant('list'), data: listOf(serverSchema) }) },
    },
  ],
  handler:
    ({ servers }) =>
    async ({ key }) => ({
      object: 'list',
      data: mergeViews(await servers()).map((server) => visible(server, key)),
    }),
};

/** A server without the models that the key cannot use. */
function visible(server: ServerView, key: FastifyRequest['key']): ServerView {
  const { models, last_error: failure } = server;
  return {
    ...server,
    last_error: failure && mayUse(key, failure.model) ? failure : null,
    models: models.filter(({ name }) => mayUse(key, name)),
  };
}

/** A server as the API returns it. */
export type ServerView = ReturnType<typeof describeServer>;

/** A report as the API returns it. */
export function describeServer(report: ServerReport) {
  const { lastFailure } = report;
  return {
    id: report.name,
    object: 'server',
    kind: report.kind,
    state: stateOf(report),
    ready: report.isKnown && report.error === undefined && report.connection === 'closed',
    running: report.running,
    requests: report.requests,
    failures: report.failures,
    retried: report.retried,
    failure_rate: rounded(report.failureRate),
    ejected_seconds: rounded(report.ejectedFor / 1000),
    weight: rounded(report.weight),
    first_response_ms: report.firstResponse === undefined ? null : rounded(report.firstResponse),
    last_error: lastFailure
      ? {
          ...failureText(lastFailure.error),
          model: lastFailure.model,
          at: Math.floor(lastFailure.at / 1000),
        }
      : null,
    models: report.models,
  };
}

/** The state of a server; of several that apply, the first in this order. */
function stateOf({ isKnown, error, connection, ejectedFor, weight }: ServerReport): string {
  if (error !== undefined || connection !== 'closed') return 'unreachable';
  if (!isKnown) return 'unknown';
  if (ejectedFor > 0) return 'ejected';
  return weight < 1 ? 'slow-start' : 'ready';
}

/** What a client may see of a failure. Paths are removed from the server's own message. */
function failureText(error: unknown): { readonly code: string; readonly message: string } {
  if (!(error instanceof StatusError)) return { code: 'UNKNOWN', message: '' };
  return { code: error.code, message: error.unreachable ? error.message : cleanText(error.message) };
}

function rounded(figure: number): number {
  return Math.round(figure * 1000) / 1000;
}

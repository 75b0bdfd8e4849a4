import type { Api } from '../../http/api.ts';
import { defaultErrors } from '../../http/failures.ts';
import { errorSchema } from '../../http/openapi/error-schema.ts';
import { type HealthServices, liveEndpoint, readyEndpoint } from './health.ts';
import { type MetricServices, metricsEndpoint } from './metrics.ts';
import { type DocumentServices, documentEndpoints } from './openapi.ts';
import { pageEndpoints } from './page.ts';
import type { PageFile } from './page-files.ts';
import { type ServerServices, serversEndpoint } from './servers.ts';

/** What Conch's own API needs. */
export type ConchServices = HealthServices & MetricServices & ServerServices & DocumentServices;

interface ConchOptions {
  /** The files of the web UI; left out: there is none. */
  readonly page?: readonly PageFile[] | undefined;
  /** The other APIs, which its OpenAPI document describes too. */
  readonly others: readonly Api<never>[];
}

/** Conch's own API: web UI, OpenAPI document, servers, health and metrics. */
export function conchApi({ page = [], others }: ConchOptions): Api<ConchServices> {
  const api: Api<ConchServices> = {
    name: 'conch',
    ...defaultErrors,
    errorSchema,
    endpoints: [
      ...pageEndpoints(page),
      ...documentEndpoints(() => [...others, api]),
      serversEndpoint,
      liveEndpoint,
      readyEndpoint,
      metricsEndpoint,
    ],
  };
  return api;
}

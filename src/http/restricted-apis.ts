import type { IncomingHttpHeaders } from 'node:http';
import { secretMatcher } from './auth.ts';

/** The parts of the API that can want a header of their own, and the page, which never does; every route says which one it belongs to. */
export type ApiName = 'inference' | 'embedding' | 'model-repository' | 'metrics' | 'health' | 'page';

/** A header, and the value that it must have, for requests to some APIs. */
export interface RestrictedApi {
  readonly apis: readonly ApiName[];
  readonly header: string;
  readonly value: string;
}

/** Gives the header that a request to an API needs and does not bring; undefined when it may pass. */
export type RestrictionCheck = (api: ApiName | undefined, headers: IncomingHttpHeaders) => string | undefined;

/** Checks the headers of requests to restricted APIs; in front of each name stands the prefix. */
export function restrictionCheck(restricted: readonly RestrictedApi[], prefix = ''): RestrictionCheck {
  const needed = new Map(
    restricted.flatMap(({ apis, header, value }) => {
      const need = { header: prefix + header, fits: secretMatcher(value) };
      return apis.map((api) => [api, need] as const);
    }),
  );
  // What makes embeddings runs a model too.
  const inference = needed.get('inference');
  if (inference && !needed.has('embedding')) needed.set('embedding', inference);
  return (api, headers) => {
    const need = api === undefined ? undefined : needed.get(api);
    if (need === undefined) return undefined;
    const given = headers[need.header.toLowerCase()];
    return typeof given === 'string' && need.fits(given) ? undefined : need.header;
  };
}

import type { IncomingHttpHeaders } from 'node:http';
import { secretMatcher } from './auth.ts';

/** The groups of endpoints that can want a header of their own, and the web UI, which never does. */
export type RestrictedGroup = 'inference' | 'embedding' | 'model-repository' | 'metrics' | 'health' | 'page';

/** A header, and the value that it must have, for requests to some APIs. */
export interface RestrictedApi {
  readonly apis: readonly RestrictedGroup[];
  readonly header: string;
  readonly value: string;
}

/** Gives the header that a request to an API needs and does not bring; undefined when it may pass. */
export type RestrictionCheck = (group: RestrictedGroup | undefined, headers: IncomingHttpHeaders) => string | undefined;

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
  return (group, headers) => {
    const need = group === undefined ? undefined : needed.get(group);
    if (need === undefined) return undefined;
    const given = headers[need.header.toLowerCase()];
    return typeof given === 'string' && need.fits(given) ? undefined : need.header;
  };
}

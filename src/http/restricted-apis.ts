import type { IncomingHttpHeaders } from 'node:http';
import { secretMatcher } from './auth.ts';

/** The groups of endpoints that can need an extra header, and the web UI (`page`), which never does. */
export type RestrictedGroup = 'inference' | 'embedding' | 'model-repository' | 'metrics' | 'health' | 'page';

/** A header with the value that requests to some APIs must have. */
export interface RestrictedApi {
  readonly apis: readonly RestrictedGroup[];
  readonly header: string;
  readonly value: string;
}

/** Returns the required header that is missing or wrong; undefined if the request is allowed. */
export type RestrictionCheck = (group: RestrictedGroup | undefined, headers: IncomingHttpHeaders) => string | undefined;

/** Checks the headers of requests to restricted APIs. Each header name has the prefix. */
export function restrictionCheck(restricted: readonly RestrictedApi[], prefix = ''): RestrictionCheck {
  const needed = new Map(
    restricted.flatMap(({ apis, header, value }) => {
      const need = { header: prefix + header, fits: secretMatcher(value) };
      return apis.map((api) => [api, need] as const);
    }),
  );
  // Embeddings are inference too.
  const inference = needed.get('inference');
  if (inference && !needed.has('embedding')) needed.set('embedding', inference);
  return (group, headers) => {
    const need = group === undefined ? undefined : needed.get(group);
    if (need === undefined) return undefined;
    const sentValue = headers[need.header.toLowerCase()];
    return typeof sentValue === 'string' && need.fits(sentValue) ? undefined : need.header;
  };
}

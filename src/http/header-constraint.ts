import { routeConstraint } from './route-constraint.ts';

/** The headers that select between endpoints with the same path. */
const selectingHeaders = ['anthropic-version'] as const;

/** A header that an endpoint may require. Requests without it go to the endpoint that has the same path and no header. */
export type SelectingHeader = (typeof selectingHeaders)[number];

/** Selects routes by a request header. */
export const headerConstraint = routeConstraint<'headers'>(
  'header',
  ({ headers }) => selectingHeaders.find((name) => headers[name] !== undefined) ?? '',
);

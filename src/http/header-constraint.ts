import type { IncomingMessage } from 'node:http';

/** The headers that select between endpoints with the same path. */
const selectingHeaders = ['anthropic-version'] as const;

/** A header that an endpoint may require. Requests without it go to the endpoint that has the same path and no header. */
export type SelectingHeader = (typeof selectingHeaders)[number];

/** Selects routes by a request header. */
export const headerConstraint = {
  name: 'header',
  storage: () => {
    const routes = new Map<unknown, never>();
    return {
      get: (header: unknown) => routes.get(header) ?? null,
      set: (header: unknown, route: never) => void routes.set(header, route),
    };
  },
  validate: () => undefined,
  deriveConstraint: ({ headers }: Pick<IncomingMessage, 'headers'>) =>
    selectingHeaders.find((name) => headers[name] !== undefined) ?? '',
};

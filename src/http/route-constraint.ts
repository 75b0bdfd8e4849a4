import type { IncomingMessage } from 'node:http';

/** Selects between routes of one path by a value of the request; an empty one selects the route without the constraint. */
export function routeConstraint<Part extends keyof IncomingMessage>(
  name: string,
  valueOf: (request: Pick<IncomingMessage, Part>) => string,
) {
  return {
    name,
    storage: () => {
      const routes = new Map<unknown, never>();
      return {
        get: (value: unknown) => routes.get(value) ?? null,
        set: (value: unknown, route: never) => void routes.set(value, route),
      };
    },
    validate: () => undefined,
    deriveConstraint: valueOf,
  };
}

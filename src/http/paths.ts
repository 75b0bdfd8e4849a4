import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import { pathOf } from './path-of.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route of the app, for `notFound`. */
    readonly knownRoutes: { readonly pattern: RegExp; readonly methods: readonly string[] }[];
  }
}

/** Collects the routes of an app, and handles requests that match none of them. */
export function unknownPaths(app: FastifyInstance): void {
  const routes: FastifyInstance['knownRoutes'] = [];
  app.decorate('knownRoutes', routes);
  app.addHook('onRoute', ({ url, method, config }) => {
    const customMethod = config?.endpoint?.customMethod;
    const pattern = new RegExp(
      `^${url
        .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
        .replace('*', '.+')
        .replaceAll(/:\w+/g, '[^/]+')}${customMethod === undefined ? '' : `:${customMethod}`}/?$`,
    );
    routes.push({ pattern, methods: [method].flat() });
  });
  app.setNotFoundHandler(notFound);
}

/** Handles a request without a route. */
export function notFound(request: FastifyRequest): never {
  throw pathError(request);
}

/** The error of a request without a route: 405 with the methods of its path, or 404. */
export function pathError({ url, method, server: { knownRoutes } }: FastifyRequest): ApiError {
  const path = pathOf(url);
  const methods = new Set(knownRoutes.filter(({ pattern }) => pattern.test(path)).flatMap((route) => route.methods));
  if (methods.size === 0) return new ApiError('not_found', `Invalid URL (${method} ${path}).`);
  const allow = [...methods].join(', ');
  return new ApiError('method_not_allowed', `Method ${method} is not allowed for ${path}. Allowed: ${allow}.`, {
    headers: { allow },
  });
}

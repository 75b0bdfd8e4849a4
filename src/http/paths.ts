import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors.ts';

/** Answers what no route takes: 405 with the methods that the path has, or 404. */
export function unknownPaths(app: FastifyInstance): void {
  const routes: { pattern: RegExp; methods: string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(
      `^${url
        .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
        .replace('*', '.+')
        .replaceAll(/:\w+/g, '[^/]+')}/?$`,
    );
    routes.push({ pattern, methods: [method].flat() });
  });
  app.setNotFoundHandler((request) => {
    const path = request.url.split('?', 1)[0] as string;
    const methods = new Set(routes.filter(({ pattern }) => pattern.test(path)).flatMap((route) => route.methods));
    if (methods.size === 0) throw new ApiError('not_found', `There is nothing at ${request.method} ${path}.`);
    const allow = [...methods].join(', ');
    throw new ApiError('method_not_allowed', `${path} takes ${allow}, not ${request.method}.`, { headers: { allow } });
  });
}

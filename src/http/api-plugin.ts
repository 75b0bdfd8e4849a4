import type { FastifyInstance, FastifyPluginCallback } from 'fastify';
import type { Api, Endpoint } from './api.ts';
import { type ErrorSteps, errorHandler } from './failures.ts';
import { notFound } from './paths.ts';

/** An API as a Fastify plugin: its routes, headers, error handler, and the not-found handlers of its prefixes. */
export function apiPlugin<Services>(api: Api<Services>, services: Services, steps: ErrorSteps): FastifyPluginCallback {
  return (app, _options, done) => {
    shape(app, api, steps);
    for (const endpoint of api.endpoints) addRoutes(app, endpoint, services);
    for (const prefix of api.prefixes ?? [])
      app.register(
        (unknown, _, ready) => {
          unknown.setNotFoundHandler(notFound);
          ready();
        },
        { prefix },
      );
    done();
  };
}

/** Sets the error body and the headers of an API. */
function shape<Services>(app: FastifyInstance, api: Api<Services>, steps: ErrorSteps): void {
  const { headers } = api;
  app.setErrorHandler(errorHandler(api, steps));
  if (headers)
    app.addHook('onRequest', ({ id }, reply, done) => {
      reply.headers(headers(id));
      done();
    });
}

function addRoutes<Services>(app: FastifyInstance, endpoint: Endpoint<Services>, services: Services): void {
  const { methods, paths, header, customMethod, refusal } = endpoint;
  const constraints = { ...(header ? { header } : {}), ...(customMethod === undefined ? {} : { customMethod }) };
  for (const url of paths)
    app.route({
      method: [...methods],
      url,
      config: { endpoint },
      constraints,
      ...(refusal ? { onRequest: (_request, _reply, done) => done(refusal()) } : {}),
      handler: endpoint.handler(services, url),
    });
}

import { emptyResponse, failure, plainType } from './http-response.ts';
import { type Exchange, modelOf, modelPath, type Route } from './route.ts';

/** Liveness and readiness of the server, and readiness of models. */
export const healthRoutes: readonly Route[] = [
  health('live', async ({ server, signal }) => (await server.call('ServerLive', {}, { signal })).live),
  health('ready', async ({ server, signal }) => (await server.call('ServerReady', {}, { signal })).ready),
  {
    path: modelPath('/ready'),
    methods: ['GET'],
    api: 'health',
    contentType: plainType,
    respond: async (exchange) => {
      const { ready } = await exchange.server.call('ModelReady', modelOf(exchange), { signal: exchange.signal });
      return ready ? emptyResponse(plainType) : failure(400, 'Model version not ready', plainType);
    },
  },
];

function health(kind: 'live' | 'ready', ask: (exchange: Exchange) => Promise<boolean>): Route {
  return {
    path: new RegExp(`^/v2/health/${kind}$`),
    methods: ['GET'],
    api: 'health',
    isOpen: true,
    contentType: plainType,
    respond: async (exchange) => {
      // An unreachable server is neither live nor ready.
      const isFine = await ask(exchange).catch(() => false);
      return isFine ? emptyResponse(plainType) : { ...emptyResponse(plainType), status: 400 };
    },
  };
}

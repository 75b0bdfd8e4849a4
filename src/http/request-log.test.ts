import type { FastifyBaseLogger } from 'fastify';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { tinyApp, tinyEndpoint } from '../../test/support/tiny-app.ts';
import { ApiError } from '../errors.ts';
import type { Endpoint } from './api.ts';

function failing(error: ApiError): Endpoint<unknown>['handler'] {
  return () => () => {
    throw error;
  };
}

it('has a line for each request, and for files of the page only a quiet one where all goes well', async () => {
  const lines: { level: string; path: string }[] = [];
  const formatters = { level: (level: string) => ({ level }) };
  const log: FastifyBaseLogger = pino(
    { level: 'trace', formatters },
    { write: (line) => lines.push(JSON.parse(line)) },
  );
  const app = tinyApp(
    [
      tinyEndpoint({ paths: ['/script.js'], group: 'page' }),
      tinyEndpoint({ paths: ['/v1/models'], group: 'model-repository' }),
      tinyEndpoint({ paths: ['/broken.js'], group: 'page', handler: failing(new ApiError('not_found', 'Gone.')) }),
    ],
    { logger: log },
  );
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  lines.length = 0;
  for (const path of ['/script.js', '/v1/models', '/broken.js'])
    await (await fetch(origin + path, { headers: { connection: 'close' } })).text();
  await app.close();
  expect(lines.map(({ level, path }) => [level, path])).toEqual([
    ['debug', '/script.js'],
    ['info', '/v1/models'],
    ['warn', '/broken.js'],
  ]);
});

it('has a 503 of a health check as a state, not as an error', async () => {
  const lines: { level: string; status: number; msg: string }[] = [];
  const formatters = { level: (level: string) => ({ level }) };
  const log: FastifyBaseLogger = pino({ formatters }, { write: (line) => lines.push(JSON.parse(line)) });
  const unready: Endpoint<unknown>['handler'] = () => async (_request, reply) => reply.code(503).send({});
  const broken = failing(new ApiError('server_not_ready', 'A failure.'));
  const app = tinyApp(
    [
      tinyEndpoint({ paths: ['/health/ready'], group: 'health', handler: unready }),
      tinyEndpoint({ paths: ['/health/broken'], group: 'health', handler: broken }),
      tinyEndpoint({ paths: ['/v1/models'], group: 'model-repository', handler: unready }),
    ],
    { logger: log },
  );
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  lines.length = 0;
  for (const path of ['/health/ready', '/health/broken', '/v1/models'])
    await (await fetch(origin + path, { headers: { connection: 'close' } })).text();
  await app.close();
  expect(lines.map(({ level, status, msg }) => [level, status, msg])).toEqual([
    ['info', 503, 'not ready'],
    ['error', 503, 'request failed'],
    ['error', 503, 'request failed'],
  ]);
});

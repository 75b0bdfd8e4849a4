import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import { sendFailure } from './failures.ts';
import { requestLog } from './request-log.ts';

it('has a line for each request, and for files of the page only a quiet one where all goes well', async () => {
  const lines: { level: string; path: string }[] = [];
  const formatters = { level: (level: string) => ({ level }) };
  const log: FastifyBaseLogger = pino(
    { level: 'trace', formatters },
    { write: (line) => lines.push(JSON.parse(line)) },
  );
  const app: FastifyInstance = fastify({ loggerInstance: log, disableRequestLogging: true });
  app.setErrorHandler(sendFailure);
  requestLog(app);
  app.get('/script.js', { config: { api: 'page' } }, async () => '');
  app.get('/v1/models', { config: { api: 'model-repository' } }, async () => '');
  app.get('/broken.js', { config: { api: 'page' } }, async () => {
    throw new ApiError('not_found', 'Gone.');
  });
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
  const app: FastifyInstance = fastify({ loggerInstance: log, disableRequestLogging: true });
  app.setErrorHandler(sendFailure);
  requestLog(app);
  app.get('/health/ready', { config: { api: 'health' } }, async (_request, reply) => reply.code(503).send({}));
  app.get('/health/broken', { config: { api: 'health' } }, async () => {
    throw new ApiError('server_not_ready', 'A failure.');
  });
  app.get('/v1/models', { config: { api: 'model-repository' } }, async (_request, reply) => reply.code(503).send({}));
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

import fastify from 'fastify';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { requestLogger } from './request-logger.ts';

it('writes the id of a request into each of its lines, at every level', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'trace', base: null, timestamp: false }, { write: (line) => lines.push(JSON.parse(line)) });
  const app = fastify({ loggerInstance: log, childLoggerFactory: requestLogger, genReqId: () => 'one' });
  app.get('/', (request) => {
    for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const)
      request.log[level]({ level }, 'it');
    request.log.child({ part: 'inner' }).info('it');
    return request.log.level;
  });
  expect((await app.inject('/')).body).toBe('trace');
  const own = lines.filter(({ msg }) => msg === 'it').map(({ level: _level, ...line }) => line);
  expect(own).toEqual([
    ...Array.from({ length: 6 }, () => ({ reqId: 'one', msg: 'it' })),
    { reqId: 'one', part: 'inner', msg: 'it' },
  ]);
});

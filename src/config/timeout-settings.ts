import { inGroup, setting } from './setting.ts';
import { duration, milliseconds } from './value-types.ts';

/** Settings of slow clients, of chunks, and of the end of the process. */
export const timeoutSettings = inGroup('api', {
  receiveTimeout: setting(
    duration({ minimum: 0 }).prefault('5m'),
    'Limit the time that a request takes to arrive, its headers at most a minute of it. A slower request ends with a 408. 0 means no limit.',
  ),
  slowClientTimeout: setting(
    duration({ minimum: 0 }).prefault('60s'),
    'Disconnect a client that reads nothing of its waiting data for this long, and cancel its generation. 0 means never.',
  ),
  coalesce: setting(
    milliseconds({ maximum: 20 }).prefault('0ms'),
    'Hold back the text of streams for this long while the process is busy, to send fewer chunks. The maximum is 20 ms. 0 sends every token at once.',
    { live: true },
  ),
  drainDelay: setting(
    duration({ minimum: 0 }).prefault('0s'),
    'Accept new connections for this long after a SIGTERM, while readiness fails. This gives load balancers time to notice.',
  ),
  drainTimeout: setting(
    duration({ minimum: 0 }).prefault('5m'),
    'Limit how long running requests continue after --drain-delay. Then they end with an error. 0 means no limit.',
  ),
});

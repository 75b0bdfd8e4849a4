import { inGroup, setting } from './setting.ts';
import { duration, milliseconds } from './value-types.ts';

/** Settings of slow clients, of chunks, and of the end of the process. */
export const timeoutSettings = inGroup('api', {
  receiveTimeout: setting(
    duration({ minimum: 0 }).prefault('5m'),
    'How long a request may take to arrive, its headers at most a minute of it; then it is a 408. 0 for as long as it wants.',
  ),
  slowClientTimeout: setting(
    duration({ minimum: 0 }).prefault('60s'),
    'How long a client may read nothing of what waits for it before it is cut off and its generation cancelled; 0 for ever.',
  ),
  coalesce: setting(
    milliseconds({ maximum: 20 }).prefault('0ms'),
    'How long to hold back the text of streams while the process is busy, to send it in fewer chunks; at most 20 ms. 0 sends every token at once.',
    { live: true },
  ),
  drainDelay: setting(
    duration({ minimum: 0 }).prefault('0s'),
    'How long new connections are still taken after a SIGTERM, while readiness says no: time for load balancers to notice.',
  ),
  drainTimeout: setting(
    duration({ minimum: 0 }).prefault('5m'),
    'How long running requests may go on after that before they are ended with an error; 0 for as long as they take.',
  ),
});

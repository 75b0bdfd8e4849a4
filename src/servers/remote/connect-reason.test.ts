import { describe, expect, it } from 'vitest';
import { connectReason } from './connect-reason.ts';
import { NotHttp2 } from './http2/open-session.ts';

const fault = (message: string, details: object = {}) => Object.assign(new Error(message), details);

describe('connectReason', () => {
  it.each<[unknown, string]>([
    [fault('connect ECONNREFUSED 127.0.0.1:1', { code: 'ECONNREFUSED' }), 'connect ECONNREFUSED 127.0.0.1:1'],
    [
      // What Node throws for a name with several addresses: no message of its own.
      new AggregateError([fault('connect ECONNREFUSED ::1:1'), fault('connect ECONNREFUSED 127.0.0.1:1')]),
      'connect ECONNREFUSED ::1:1, connect ECONNREFUSED 127.0.0.1:1',
    ],
    [new AggregateError([fault('no route'), fault('no route')]), 'no route'],
    [new NotHttp2(), 'the server does not speak HTTP/2 on this port'],
    [
      fault('8040:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../ssl.c:355:', {
        code: 'ERR_SSL_WRONG_VERSION_NUMBER',
        reason: 'wrong version number',
      }),
      'the server does not speak TLS on this port',
    ],
    [
      fault('8040:error:0A000412:SSL routines:ssl3_read_bytes:sslv3 alert bad certificate:../ssl.c:1590:', {
        code: 'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
        reason: 'sslv3 alert bad certificate',
      }),
      'TLS failed: sslv3 alert bad certificate',
    ],
    [fault('', { code: 'ETIMEDOUT' }), 'ETIMEDOUT'],
    [fault(''), 'Error'],
    ['just a text', 'just a text'],
  ])('of %s is %j', (error, reason) => {
    expect(connectReason(error)).toBe(reason);
  });
});

import { describe, expect, it } from 'vitest';
import { connectReason } from './connect-reason.ts';
import { NotHttp2Error } from './http2/open-session.ts';

const fail = (message: string, details: object = {}) => Object.assign(new Error(message), details);

describe('connectReason', () => {
  it.each<[unknown, string]>([
    [fail('connect ECONNREFUSED 127.0.0.1:1', { code: 'ECONNREFUSED' }), 'connect ECONNREFUSED 127.0.0.1:1'],
    [
      // What Node throws for a name with several addresses: no message of its own.
      new AggregateError([fail('connect ECONNREFUSED ::1:1'), fail('connect ECONNREFUSED 127.0.0.1:1')]),
      'connect ECONNREFUSED ::1:1, connect ECONNREFUSED 127.0.0.1:1',
    ],
    [new AggregateError([fail('no route'), fail('no route')]), 'no route'],
    [new NotHttp2Error(), 'the server does not speak HTTP/2 on this port'],
    [
      fail('8040:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../ssl.c:355:', {
        code: 'ERR_SSL_WRONG_VERSION_NUMBER',
        reason: 'wrong version number',
      }),
      'the server does not speak TLS on this port',
    ],
    [
      fail('8040:error:0A000412:SSL routines:ssl3_read_bytes:sslv3 alert bad certificate:../ssl.c:1590:', {
        code: 'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
        reason: 'sslv3 alert bad certificate',
      }),
      'TLS failed: sslv3 alert bad certificate',
    ],
    [fail('', { code: 'ETIMEDOUT' }), 'ETIMEDOUT'],
    [fail(''), 'Error'],
    ['just a text', 'just a text'],
  ])('of %s is %j', (error, reason) => {
    expect(connectReason(error)).toBe(reason);
  });
});

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openStore } from './open-store.ts';
import { StoreError } from './store-error.ts';

const url =
  'Invalid URL of the store: expected postgres://USER:PASSWORD@HOST:PORT/DATABASE. Encode special characters of the password as %XX.';
const location = 'Invalid store: expected sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE.';

describe('the place of a store', () => {
  it.each([
    ['', location],
    ['sqlite:', location],
    ['/var/responses.db', location],
    ['mysql://ann:sesame@host/conch', location],
    ['postgres:', url],
    ['postgres://', url],
    ['postgres://ann:se#same@host/conch', url],
    ['postgres://ann:1#sesame@host/conch', url],
    ['postgres://ann:1?sesame@host/conch', url],
    ['postgres://ann:p@sesame/x@host/conch', url],
    ['postgres://ann:sesame@host:port/conch', url],
    [
      'postgres://ann:sesame@host/conch?sslmode=prefer',
      'Invalid sslmode in the URL of the store: expected disable, require, verify-ca or verify-full.',
    ],
    [
      'postgresql://ann:sesame@host/conch?sslmode=verify-full&sslrootcert=/missing.pem',
      "Invalid URL of the store: ENOENT: no such file or directory, open '/missing.pem'",
    ],
  ])('is refused without repeating it: %s', async (value, message) => {
    const error: unknown = await openStore(value, { maxAge: 1, maxSize: 1 }).catch((reason: unknown) => reason);
    expect(error).toEqual(new StoreError(message));
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('sesame');
  });
});

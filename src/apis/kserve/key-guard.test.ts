import { expect, it } from 'vitest';
import { openRegistry } from '../../keys/key-registry.ts';
import { KeyRing } from '../../keys/key-ring.ts';
import { digestOf } from '../../keys/secrets.ts';
import { metadataOf } from './grpc-headers.ts';
import { kserveHolder } from './key-guard.ts';

const ring = new KeyRing([{ digest: digestOf('secret'), holder: { id: 'key:a', name: 'a' } }]);
const keys = { ...openRegistry, isLocked: true, ring };

it.each([{ authorization: 'Bearer secret' }, { 'x-api-key': 'secret' }])(
  'takes a key from %j, and does not send it on',
  async (headers) => {
    expect(await kserveHolder(headers, keys)).toMatchObject({ name: 'a' });
    expect(metadataOf({ ...headers, 'x-other': '1' })).toEqual({ 'x-other': '1' });
  },
);

it('refuses a wrong key in either', async () => {
  for (const headers of [{ authorization: 'Bearer wrong' }, { 'x-api-key': 'wrong' }, {}])
    await expect(kserveHolder(headers, keys)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});

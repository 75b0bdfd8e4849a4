import { describe, expect, it } from 'vitest';
import { addressRanges, imageHosts } from './image-settings.ts';

describe('imageHosts', () => {
  it('reads hosts in every way of writing them', () => {
    const written = ['a.example, *.b.example', 'C.example.:8443', '[::1]:90', '[FD00:0::1]', '127.1'];
    expect(imageHosts.parse(written)).toEqual([
      { host: 'a.example' },
      { host: '*.b.example' },
      { host: 'c.example', port: 8443 },
      { host: '::1', port: 90 },
      { host: 'fd00::1' },
      { host: '127.0.0.1' },
    ]);
  });

  it.each(['', '*', 'a,', 'http://a', 'a/b', 'a b', 'user@a', 'a:b', 'a:99999', '*.', 'a*.b', '::1', '[::g]'])(
    'refuses %j',
    (written) => {
      expect(imageHosts.safeParse([written]).error?.issues[0]?.message).toMatch(/^must be HOST, HOST:PORT or /);
    },
  );
});

describe('addressRanges', () => {
  it('reads ranges and single addresses', () => {
    expect(addressRanges.parse(['10.0.0.0/8,127.0.0.1', 'fd00::/8', '::1'])).toEqual([
      { address: '10.0.0.0', prefix: 8 },
      { address: '127.0.0.1', prefix: 32 },
      { address: 'fd00::', prefix: 8 },
      { address: '::1', prefix: 128 },
    ]);
  });

  it.each(['', 'localhost', '10/8', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', '::/129', 'fe80::1%a'])(
    'refuses %j',
    (written) => {
      expect(addressRanges.safeParse([written]).error?.issues[0]?.message).toMatch(/^must be an IP address, /);
    },
  );
});

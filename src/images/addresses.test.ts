import { describe, expect, it } from 'vitest';
import { addressCheck } from './addresses.ts';

describe('addressCheck', () => {
  const isAllowed = addressCheck([]);

  it.each(
    (
      '0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 ' +
      '172.31.255.255 192.0.0.192 192.0.2.1 192.168.1.1 198.18.0.1 203.0.113.9 224.0.0.1 239.1.1.1 255.255.255.255 ' +
      '168.63.129.16 ' +
      ':: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::FFFF:10.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::10.0.0.1 ' +
      '64:ff9b::7f00:1 64:ff9b:1::1.1.1.1 fe80::1 fe80::1%eth0 fec0::1 fc00::1 fd00:ec2::254 ff02::1 100::1 ' +
      '2001::1 2001:db8::1 2002:7f00:1:: 2002:808:808:: 3fff::1 4000::1 localhost 2130706433'
    ).split(' '),
  )('refuses %s', (address) => expect(isAllowed(address)).toBe(false));

  it.each(
    (
      '1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.1.1.1 128.0.0.1 172.15.0.1 172.32.0.1 ' +
      '192.167.1.1 192.169.0.1 198.17.0.1 198.20.0.1 223.255.255.255 ' +
      '2001:4860:4860::8888 2606:4700::1111 2a00:1450::1 ::ffff:8.8.8.8 64:ff9b::8.8.8.8 64:ff9b::808:0'
    ).split(' '),
  )('lets %s pass', (address) => expect(isAllowed(address)).toBe(true));

  it('lets named ranges pass too, in every way of writing them', () => {
    const named = addressCheck([
      { address: '10.1.0.0', prefix: 16 },
      { address: '127.0.0.1', prefix: 32 },
      { address: 'fd12::', prefix: 32 },
    ]);
    const responses = [
      '10.1.2.3',
      '::ffff:10.1.2.3',
      '127.0.0.1',
      'fd12::5',
      '10.2.0.1',
      '127.0.0.2',
      'fd13::1',
      '::1',
    ];
    expect(responses.map(named)).toEqual([true, true, true, true, false, false, false, false]);
  });
});

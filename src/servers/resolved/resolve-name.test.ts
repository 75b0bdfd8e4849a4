import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DnsServer, startDnsServer } from '../../../test/support/dns-server.ts';
import { nameResolver } from './resolve-name.ts';

let dns: DnsServer;
const names = { 'both.test': ['10.0.0.2', 'fd00::1', '10.0.0.1'], 'six.test': ['fd00::2'], 'none.test': [] };
beforeAll(async () => {
  dns = await startDnsServer(names);
});
afterAll(() => dns.close());

describe('nameResolver', () => {
  it('gives all addresses of both kinds, always in the same order', async () => {
    const resolve = nameResolver(dns.address);
    expect(await resolve('both.test')).toEqual(['10.0.0.1', '10.0.0.2', 'fd00::1']);
    expect(await resolve('six.test')).toEqual(['fd00::2']);
  });

  it('gives the addresses of one kind where the other cannot be had, if there are any', async () => {
    const resolve = nameResolver(dns.address);
    dns.failing = 'AAAA';
    expect(await resolve('both.test')).toEqual(['10.0.0.1', '10.0.0.2']);
    await expect(resolve('six.test')).rejects.toThrow('ESERVFAIL');
    dns.failing = undefined;
  });

  it('fails where there are none, or nobody knows', async () => {
    const resolve = nameResolver(dns.address);
    await expect(resolve('none.test')).rejects.toThrow('none.test has no addresses');
    await expect(resolve('unknown.test')).rejects.toThrow('unknown.test has no addresses');
    dns.names = undefined;
    await expect(resolve('both.test')).rejects.toThrow('ESERVFAIL');
  });

  it("reads the system's own names where no server is named", async () => {
    expect(await nameResolver(undefined)('127.0.0.1')).toEqual(['127.0.0.1']);
  });
});

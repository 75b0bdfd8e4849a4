import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type DnsServer, startDnsServer } from '../../../test/support/dns-server.ts';
import type { InferenceServer } from '../../kserve/server.ts';
import { nameResolver, ResolvedServers } from './resolved-servers.ts';

/** A name whose addresses the test says, and what was heard of it. */
function follow(addresses: readonly string[] | Error | Promise<readonly string[]>) {
  const received: string[] = [];
  const name = { addresses, received };
  const servers = new ResolvedServers({
    name: 'triton',
    resolve: async () => {
      if (name.addresses instanceof Error) throw name.addresses;
      return name.addresses;
    },
    interval: () => 1_000_000,
    open: (address) =>
      ({ name: address, close: async () => received.push(`closed ${address}`) }) as unknown as InferenceServer,
    onChange: (closed) => received.push(`change, gone: ${closed.map((server) => server.name).join()}`),
    onError: (error) => received.push(`fault: ${error?.message}`),
  });
  const current = () => servers.current.map((server) => server.name);
  return { name, servers, received, current };
}

describe('ResolvedServers', () => {
  it('has a server for every address, and keeps those that stay', async () => {
    const { name, servers, received, current } = follow(['a', 'b']);
    await servers.start();
    const [, b] = servers.current;
    name.addresses = ['b', 'c'];
    await servers.refresh();
    expect(current()).toEqual(['b', 'c']);
    expect(servers.current[0]).toBe(b);
    await servers.refresh();
    expect(received).toEqual(['change, gone: ', 'change, gone: a']);
    await servers.close();
    expect(received.slice(2)).toEqual(['closed b', 'closed c']);
  });

  it('keeps what it has while the name cannot be resolved, and says so once', async () => {
    const { name, servers, received, current } = follow(['a']);
    await servers.start();
    name.addresses = new Error('no answer');
    await servers.refresh();
    await servers.refresh();
    expect(current()).toEqual(['a']);
    name.addresses = ['a'];
    await servers.refresh();
    expect(received).toEqual(['change, gone: ', 'fault: no answer', 'fault: undefined']);
    await servers.close();
  });

  it('does not wait for a name that takes long, neither at its start nor at its end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let response: ((addresses: readonly string[]) => void) | undefined;
    const { servers, current, received } = follow(
      new Promise((resolve) => {
        response = resolve;
      }),
    );
    const started = servers.start();
    await vi.advanceTimersByTimeAsync(1000);
    await started;
    expect(current()).toEqual([]);
    response?.(['a']);
    await vi.advanceTimersByTimeAsync(0);
    expect(current()).toEqual(['a']);
    const silent = follow(new Promise(() => undefined));
    void silent.servers.start();
    await silent.servers.close();
    await servers.close();
    expect([...received, ...silent.received]).toEqual(['change, gone: ', 'closed a']);
    vi.useRealTimers();
  });

  it('begins with nothing where the name cannot be resolved yet', async () => {
    const { name, servers, current } = follow(new Error('not yet'));
    await servers.start();
    expect(current()).toEqual([]);
    name.addresses = ['a'];
    await servers.refresh();
    expect(current()).toEqual(['a']);
    await servers.close();
  });
});

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

  it('fails if there are none, or the name is unknown', async () => {
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

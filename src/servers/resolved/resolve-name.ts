import { lookup, Resolver } from 'node:dns/promises';

/** What a DNS server answers when a name has no addresses of one kind. */
const nothing = new Set(['ENODATA', 'ENOTFOUND']);

const patience = { timeout: 2_000, tries: 2 };

type Resolve = (name: string, signal?: AbortSignal) => Promise<string[]>;

/** Gives every address of a name, in order: of the DNS server, or as the system resolves names. */
export function nameResolver(dnsServer: string | undefined): Resolve {
  if (dnsServer === undefined)
    return async (name) => {
      const found = await lookup(name, { all: true });
      return [...new Set(found.map(({ address }) => address))].toSorted();
    };
  const resolver = new Resolver(patience);
  resolver.setServers([dnsServer]);
  return async (name, signal) => {
    const cancel = (): void => resolver.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    // What one kind of address gives is worth having, whatever becomes of the other.
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    signal?.removeEventListener('abort', cancel);
    const addresses = [...new Set(found.flatMap((each) => (each.status === 'fulfilled' ? each.value : [])))].toSorted();
    if (addresses.length > 0) return addresses;
    const faults = found.flatMap((each) => (each.status === 'rejected' ? [each.reason as NodeJS.ErrnoException] : []));
    throw faults.find(({ code = '' }) => !nothing.has(code)) ?? new Error(`${name} has no addresses`);
  };
}

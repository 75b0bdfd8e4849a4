import { lookup, Resolver } from 'node:dns/promises';

/** What a DNS server answers when a name has no addresses of one kind. */
const nothing = new Set(['ENODATA', 'ENOTFOUND']);

const patience = { timeout: 2_000, tries: 2 };

/** Gives every address of a name, in order: of the DNS server, or as the system resolves names. */
export function nameResolver(dnsServer: string | undefined): (name: string) => Promise<string[]> {
  if (dnsServer === undefined)
    return async (name) => {
      const found = await lookup(name, { all: true });
      return [...new Set(found.map(({ address }) => address))].toSorted();
    };
  const resolver = new Resolver(patience);
  resolver.setServers([dnsServer]);
  return async (name) => {
    const found = await Promise.all([
      resolver.resolve4(name).catch(noneOrFault),
      resolver.resolve6(name).catch(noneOrFault),
    ]);
    const addresses = [...new Set(found.flat())].toSorted();
    if (addresses.length === 0) throw new Error(`${name} has no addresses`);
    return addresses;
  };
}

function noneOrFault(error: NodeJS.ErrnoException): string[] {
  if (nothing.has(error.code ?? '')) return [];
  throw error;
}

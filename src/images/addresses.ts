import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** A range of addresses, for example 10.0.0.0/8. */
export interface AddressRange {
  readonly address: string;
  readonly prefix: number;
}

/** Private and reserved IPv4 ranges, and the address of Azure's instance metadata. */
const innerV4 = listOf(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
    '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 ' +
    '168.63.129.16/32',
);
/** The public IPv6 range, and the reserved ranges in it: tunnels and examples. */
const globalV6 = listOf('2000::/3');
const reservedV6 = listOf('2001::/23 2001:db8::/32 2002::/16 3fff::/20');
/** IPv6 ranges whose last four bytes are an IPv4 address. */
const carriersOfV4 = listOf('::ffff:0:0/96 64:ff9b::/96');

/** Whether an address may be connected to: it is public, or in a range that the operator allows. */
export function addressCheck(allowed: readonly AddressRange[]): (address: string) => boolean {
  const named = new BlockList();
  for (const range of allowed) named.addSubnet(range.address, range.prefix, familyOf(range.address));
  return (address) => {
    // A zone is part of link-local addresses only.
    const plain = address.includes('%') ? '' : (carriedV4(address) ?? address);
    if (isIPv4(plain)) return named.check(plain, 'ipv4') || !innerV4.check(plain, 'ipv4');
    if (!isIPv6(plain)) return false;
    return named.check(plain, 'ipv6') || (globalV6.check(plain, 'ipv6') && !reservedV6.check(plain, 'ipv6'));
  };
}

function listOf(ranges: string): BlockList {
  const list = new BlockList();
  for (const range of ranges.split(' ')) {
    const [address = '', prefix] = range.split('/');
    list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

/** The IPv4 address inside an IPv6 address. */
function carriedV4(address: string): string | undefined {
  if (!isIPv6(address) || !carriersOfV4.check(address, 'ipv6')) return undefined;
  // The URL parser normalizes these addresses: the last two groups of hexadecimal digits.
  const [high = 0, low = 0] = new URL(`http://[${address}]/`).hostname
    .slice(1, -1)
    .split(':')
    .slice(-2)
    .map((group) => Number.parseInt(group || '0', 16));
  return [high >>> 8, high & 255, low >>> 8, low & 255].join('.');
}

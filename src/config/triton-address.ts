import { isIPv6 } from 'node:net';
import { z } from 'zod';

/** Where a Triton server is reached over gRPC. */
export interface TritonAddress {
  /** A name or an IP address, an IPv6 one without brackets. */
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** Every address that the name resolves to is a server. */
  readonly dns: boolean;
}

/** An address as it was written: without a scheme, `triton_tls` decides on TLS. */
interface WrittenAddress extends Omit<TritonAddress, 'tls'> {
  readonly tls: boolean | undefined;
}

const schemes: Readonly<Record<string, boolean>> = { http: false, grpc: false, https: true, grpcs: true };
const defaultPort = 8001;

/** `host:port`, `http://host:port`, `https://host:port`, `grpcs://host:port`, `[v6]:port` or `dns:name:port`. */
export const tritonAddress = z.string().transform((written, context): WrittenAddress => {
  const address = parse(written.trim());
  if (typeof address !== 'string') return address;
  context.addIssue(address);
  return z.NEVER;
});

/** The address as one writes it, for logs and tables. */
export function formatAddress({ host, port, tls, dns }: TritonAddress): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `${tls ? 'grpcs://' : ''}${dns ? 'dns:' : ''}${name}:${port}`;
}

function parse(written: string): WrittenAddress | string {
  const scheme = /^([a-z][a-z\d+.-]*):\/\//i.exec(written)?.[1]?.toLowerCase();
  const secure = scheme === undefined || scheme === 'dns' ? undefined : schemes[scheme];
  if (scheme !== undefined && scheme !== 'dns' && secure === undefined) {
    return 'must begin with http://, https://, grpc:// or grpcs://, or with no scheme';
  }
  let rest = scheme === undefined ? written : written.slice(scheme.length + 3);
  // grpcs://dns:name:port is resolved again and again, over TLS; dns:///name:port is gRPC's own notation.
  const dns = scheme === 'dns' || /^dns:./.test(rest);
  if (dns) rest = rest.replace(/^dns:/, '').replace(/^\/+/, '');
  if (rest.includes('@')) return 'must not contain a user or password: send credentials with --triton-header';
  if (scheme !== undefined) rest = rest.replace(/\/$/, '');
  if (/[/?#]/.test(rest)) return 'must be a host and a port, without a path';
  if (isIPv6(rest)) return `must have brackets around an IPv6 address: [${rest}]:${defaultPort}`;
  const match = /^(?:\[([^\]]+)\]|([\w.-]+))(?::(\d{1,5}))?$/.exec(rest);
  if (match === null) return 'must be a host and a port, such as triton:8001 or [::1]:8001';
  const [, v6, name, digits] = match;
  if (v6 !== undefined && !isIPv6(v6)) return 'must have an IPv6 address between the brackets';
  const port = digits === undefined ? defaultPort : Number(digits);
  if (port < 1 || port > 65535) return 'must have a port between 1 and 65535';
  return { host: v6 ?? name ?? '', port, tls: secure, dns };
}

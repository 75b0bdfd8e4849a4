import { isIP } from 'node:net';
import { z } from 'zod';

/** A text with at least one character. */
export const text = z.string().min(1);

const durationUnits: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const longestTimer = 2 ** 31 - 1;

/** A length of time in milliseconds, written `500ms`, `2s`, `5m`, `1h` or as a number of seconds. */
export function duration({ minimum }: { minimum: number }) {
  const message = 'must be a duration such as 500ms, 2s or 5m, or a number of seconds';
  return z
    .union([z.number(), z.string()], { error: message })
    .meta({ placeholder: 'DURATION' })
    .transform((value, context) => {
      const match = /^(\d+(?:\.\d+)?|\.\d+) *(ms|s|m|h)?$/.exec(String(value).trim());
      const milliseconds = Math.round(Number(match?.[1]) * (durationUnits[match?.[2] ?? 's'] ?? 1));
      if (match === null) context.addIssue(message);
      else if (milliseconds < minimum) context.addIssue(`must be at least ${minimum}ms`);
      else if (milliseconds > longestTimer) context.addIssue('must be less than 24 days');
      return milliseconds;
    });
}

/** A short time in milliseconds, written `5ms` or as a number of milliseconds. */
export function milliseconds({ maximum }: { maximum: number }) {
  const message = `must be a number of milliseconds from 0 to ${maximum}`;
  return z
    .union([z.number(), z.string()], { error: message })
    .meta({ placeholder: 'MS' })
    .transform((value, context) => {
      const count = Number(/^(\d+) *(ms)?$/.exec(String(value).trim())?.[1]);
      if (!(count <= maximum)) context.addIssue(message);
      return count;
    });
}

const ageUnits: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** How old something may become, in seconds, written `12h`, `30d` or as a number of seconds. */
export const age = z
  .union([z.number(), z.string()], { error: 'must be an age such as 12h or 30d, or a number of seconds' })
  .meta({ placeholder: 'DURATION' })
  .transform((value, context) => {
    const match = /^(\d+) *(s|m|h|d)?$/.exec(String(value).trim());
    const seconds = Number(match?.[1]) * (ageUnits[match?.[2] ?? 's'] ?? 1);
    if (match === null) context.addIssue('must be an age such as 12h or 30d, or a number of seconds');
    else if (seconds < 1) context.addIssue('must be at least 1s');
    return seconds;
  });

const sizeUnits: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** A number of bytes, written plainly or as `512KiB`, `64MiB` or `1GiB`. */
export function byteSize({ minimum = 1, maximum }: { minimum?: number; maximum: number }) {
  const message = 'must be a number of bytes, or a size such as 512KiB, 64MiB or 1GiB';
  return z
    .union([z.number(), z.string()], { error: message })
    .meta({ placeholder: 'BYTES' })
    .transform((value, context) => {
      const match = /^(\d+(?:\.\d+)?) *(B|KiB|MiB|GiB)?$/.exec(String(value).trim());
      const bytes = Number(match?.[1]) * (sizeUnits[match?.[2] ?? 'B'] ?? 1);
      if (match === null || !Number.isInteger(bytes)) context.addIssue(message);
      else if (bytes < minimum) context.addIssue(`must be at least ${minimum} byte`);
      else if (bytes > maximum) context.addIssue(`must be at most ${maximum} bytes`);
      return bytes;
    });
}

/** An address to listen on: a name, or an IP address with or without its brackets. */
export const listenHost = z
  .string()
  .regex(/^(\[[\da-fA-F:.%]+\]|[\w.:%-]+)$/, 'must be a host name or an IP address, without a port or a scheme')
  .transform((host) => host.replace(/^\[|\]$/g, ''));

/** The IP address of a DNS server, with its port where that is not 53. */
export const dnsServer = z.string().refine((written) => {
  const [, v6, host = written, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(written) ?? [];
  return isIP(v6 ?? host) !== 0 && (port === undefined || (Number(port) > 0 && Number(port) < 65_536));
}, 'must be an IP address, with or without a port: 10.0.0.10:53 or [fd00::a]:53');

/** The address of a web server, without the slash at its end. */
export const webAddress = z
  .url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' })
  .transform((address) => address.replace(/\/+$/, ''));

/** The log levels: Conch's names, and those of uvicorn for the same levels. */
export const logLevel = z
  .enum(['trace', 'debug', 'info', 'warn', 'warning', 'error', 'fatal', 'critical'])
  .transform((level) => (level === 'warning' ? 'warn' : level === 'critical' ? 'fatal' : level));

const metadataMessage = 'must be name: value or name=value';
// gRPC and HTTP/2 write these themselves.
const reservedHeaders = /^(grpc-.*|content-type|te|user-agent|host|connection|transfer-encoding|content-length)$/;

const metadataItem = z
  .union([z.string(), z.record(z.string(), z.string())], { error: metadataMessage })
  .transform((item, context) => {
    const entries = typeof item === 'string' ? [splitHeader(item)] : Object.entries(item);
    return entries.map(([name, value]) => {
      const key = name.trim().toLowerCase();
      if (value === undefined || key === '') context.addIssue(metadataMessage);
      else if (!/^[\da-z_.-]+$/.test(key)) context.addIssue('must have a name of letters, digits and - _ . only');
      else if (key.endsWith('-bin'))
        context.addIssue('must not have a name that ends with -bin: binary headers are not supported');
      else if (reservedHeaders.test(key)) context.addIssue(`must not set ${key}: gRPC sets it`);
      else if (!/^[\x20-\x7e]*$/.test(value)) context.addIssue('must have a value of printable ASCII characters');
      return [key, (value ?? '').trim()] as const;
    });
  });

function splitHeader(item: string): readonly [string, string | undefined] {
  const end = item.search(/[:=]/);
  return end < 0 ? [item, undefined] : [item.slice(0, end), item.slice(end + 1)];
}

/** Headers of every call, from a list of `name: value`, or from a map in the file. */
export const metadata = z.array(metadataItem).transform((items, context): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = {};
  for (const [name, value] of items.flat()) {
    if (Object.hasOwn(headers, name)) context.addIssue(`must not set ${name} twice`);
    headers[name] = value;
  }
  return headers;
});

/** Where responses are stored. */
export const storeLocation = z
  .string()
  .regex(/^(none|sqlite:.+|postgres(ql)?:\/\/.+)$/, 'must be sqlite:PATH, postgres://USER:PASS@HOST/DB or none');

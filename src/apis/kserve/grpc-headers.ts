import type { IncomingHttpHeaders } from 'node:http2';

/** Headers of the call itself, which are no metadata. */
const own = new Set([
  'content-type',
  'content-length',
  'te',
  'host',
  'user-agent',
  'connection',
  'accept-encoding',
  // Keys of Conch are not forwarded.
  'authorization',
  'x-api-key',
  'x-goog-api-key',
]);

/** The metadata of a call that goes to the upstream server. */
export function metadataOf(headers: IncomingHttpHeaders): Record<string, string> {
  const metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const isOwn = name.startsWith(':') || name.startsWith('grpc-') || own.has(name);
    if (!isOwn && value !== undefined) metadata[name] = [value].flat().join(', ');
  }
  return metadata;
}

const unitMilliseconds: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };
const longestTimer = 2 ** 31 - 1;

/** Milliseconds until the deadline that a client set; undefined without one. */
export function deadlineOf(headers: IncomingHttpHeaders): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(String(headers['grpc-timeout'] ?? '')) ?? [];
  if (digits === undefined) return undefined;
  return Math.min(Math.ceil(Number(digits) * (unitMilliseconds[unit] ?? 1)), longestTimer);
}

/** Clients reject a response whose headers have more than a few kilobytes. */
const longestMessage = 7000;

/** Percent-encodes a status message for a header: everything but plain ASCII, and spaces at its ends. */
export function encodedMessage(message: string): string {
  let encoded = '';
  for (const byte of Buffer.from(message)) {
    if (encoded.length >= longestMessage) break;
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    encoded += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded.replaceAll(/^ | $/g, '%20');
}

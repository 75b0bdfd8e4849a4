import { StatusError } from '../../kserve/status.ts';
import type { Call, ChannelOptions } from './channel.ts';
import { encodeHeader } from './http2/hpack-encoder.ts';

/** The headers that all calls of a path have in common, as they are sent. */
const commonBlocks = new WeakMap<ChannelOptions, Map<string, Buffer>>();

/** The headers of a call, as they are sent. */
export function headerBlock(
  call: Pick<Call, 'path' | 'metadata'>,
  options: ChannelOptions,
  timeout: number | undefined,
): Buffer {
  const common = commonBlock(call.path, options);
  const parts = [common];
  for (const name in call.metadata)
    parts.push(encodeHeader(name.toLowerCase(), sendable(name, call.metadata[name] as string)));
  if (timeout !== undefined) parts.push(timeoutHeader(timeout));
  return parts.length === 1 ? common : Buffer.concat(parts);
}

function commonBlock(path: string, options: ChannelOptions): Buffer {
  const blocks = commonBlocks.get(options) ?? new Map<string, Buffer>();
  commonBlocks.set(options, blocks);
  const known = blocks.get(path);
  if (known) return known;
  const { host, port, secure, metadata } = options;
  const headers = {
    ':method': 'POST',
    ':scheme': secure ? 'https' : 'http',
    ':path': path,
    ':authority': `${host.includes(':') ? `[${host}]` : host}:${port}`,
    'content-type': 'application/grpc',
    te: 'trailers',
    'grpc-accept-encoding': 'identity',
    'user-agent': 'conch',
    ...metadata,
  };
  const block = Buffer.concat(
    Object.entries(headers).map(([name, value]) => encodeHeader(name, sendable(name, value))),
  );
  blocks.set(path, block);
  return block;
}

/** A value that HTTP/2 can carry. */
function sendable(name: string, value: string): string {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value) && /^:?[\w!#$%&'*+.^`|~-]+$/.test(name)) return value;
  throw new StatusError(
    'INVALID_ARGUMENT',
    `The header ${JSON.stringify(name)} has characters that are not allowed in HTTP headers. Remove them.`,
  );
}

/** The header of the last timeout: most calls have the same. */
let lastTimeout = { milliseconds: 0, header: encodeHeader('grpc-timeout', grpcTimeout(0)) };

function timeoutHeader(milliseconds: number): Buffer {
  if (lastTimeout.milliseconds !== milliseconds)
    lastTimeout = { milliseconds, header: encodeHeader('grpc-timeout', grpcTimeout(milliseconds)) };
  return lastTimeout.header;
}

/** At most eight digits: milliseconds, or seconds where those do not fit. */
function grpcTimeout(milliseconds: number): string {
  return milliseconds < 1e8 ? `${milliseconds}m` : `${Math.ceil(milliseconds / 1000)}S`;
}

import { Readable } from 'node:stream';
import { callbackify, promisify } from 'node:util';
import zlib from 'node:zlib';
import { errorCodes, type FastifyInstance, type FastifyRequest, type RequestPayload } from 'fastify';
import { ApiError } from '../errors.ts';
import { decodeZstd, ZstdUnavailableError } from './zstd.ts';

/** Decodes a body. Returns undefined if the result has more than `most` bytes, and throws if the data is broken. */
type Decoder = (data: Buffer, most: number) => Promise<Buffer | undefined>;

type ZlibFunction = (data: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/** Node's own zstd, which version 20 does not have. */
const { zstdDecompress } = zlib as { readonly zstdDecompress?: Parameters<typeof promisify>[0] };

const decoders = new Map<string, Decoder>([
  ['gzip', bounded(promisify(zlib.gunzip))],
  ['deflate', bounded(promisify(zlib.inflate))],
  ['br', bounded(promisify(zlib.brotliDecompress))],
  ['zstd', zstdDecompress ? bounded(promisify(zstdDecompress) as ZlibFunction) : decodeZstd],
]);

/** Old names of encodings that clients may still send. */
const oldNames = new Map([['x-gzip', 'gzip']]);

function bounded(decode: ZlibFunction): Decoder {
  return async (data, most) => {
    try {
      return await decode(data, { maxOutputLength: most });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
      throw error;
    }
  };
}

/** Decompresses request bodies. `most` is the limit of their bytes, both before and after. */
export function decompressBodies(app: FastifyInstance, most: number): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const encoding = encodingOf(request);
    const decode = encoding === undefined ? undefined : decoders.get(encoding);
    // Plain bodies do not pay for a promise.
    if (encoding === undefined || !decode) done(null, payload);
    else callbackify(decoded)(payload, { encoding, decode, most }, done);
  });
}

/** Returns the error of a body in an encoding that is not supported, before the body is read. */
export function encodingError(request: FastifyRequest): ApiError | undefined {
  const encoding = encodingOf(request);
  if (encoding === undefined || request.endpoint?.refusal || decoders.has(encoding)) return undefined;
  const names = [...decoders.keys()].join(', ');
  const message = `Content-Encoding ${JSON.stringify(encoding)} is not supported. Send one of ${names}, or no encoding.`;
  return new ApiError('unsupported_media_type', message, { headers: { 'accept-encoding': names } });
}

/** The encoding of a body; undefined if it has none. */
function encodingOf({ headers }: FastifyRequest): string | undefined {
  const value = headers['content-encoding']?.trim().toLowerCase();
  return value === undefined || value === '' || value === 'identity' ? undefined : (oldNames.get(value) ?? value);
}

interface Decoding {
  readonly encoding: string;
  readonly decode: Decoder;
  readonly most: number;
}

async function decoded(payload: RequestPayload, { encoding, decode, most }: Decoding): Promise<RequestPayload> {
  const data = await readPayload(payload, most);
  let body: Buffer | undefined;
  try {
    body = await decode(data, most);
  } catch (error) {
    if (error instanceof ZstdUnavailableError) throw error;
    const message = `Request body is not valid ${encoding} data, which its header "Content-Encoding" says that it is.`;
    throw new ApiError('invalid_request', message, { cause: error });
  }
  if (!body)
    throw new ApiError(
      'request_too_large',
      'Request body is too large after decompression: the limit is set by --http-max-input-size.',
    );
  // Fastify compares the length before decompression with Content-Length.
  return Object.assign(Readable.from([body], { objectMode: false }), { receivedEncodedLength: data.length });
}

/** Reads a payload, and stops at the limit. The rest stays unread, and the connection as it is: it gets the error. */
function readPayload(payload: RequestPayload, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (): void => {
      payload.off('data', onData).off('end', onEnd).off('error', onError);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= most) return void chunks.push(chunk);
      stop();
      reject(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    };
    const onEnd = (): void => {
      stop();
      resolve(Buffer.concat(chunks, size));
    };
    const onError = (error: Error): void => {
      stop();
      reject(error);
    };
    payload.on('data', onData).on('end', onEnd).on('error', onError);
  });
}

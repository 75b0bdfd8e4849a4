import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { StatusError } from '../../kserve/status.ts';
import { tooLarge } from './body.ts';
import { HttpError, plainType } from './http-response.ts';

type Encoding = 'gzip' | 'deflate';

const decompress = { gzip: promisify(zlib.gunzip), deflate: promisify(zlib.inflate) };
const compress = { gzip: promisify(zlib.gzip), deflate: promisify(zlib.deflate) };

/** The decompressed body. */
export async function decodedBody(body: Buffer, encoding: string | undefined, maxInputSize: number): Promise<Buffer> {
  if (!encoding || encoding === 'identity') return body;
  if (encoding !== 'gzip' && encoding !== 'deflate')
    throw new HttpError(new StatusError('UNIMPLEMENTED', 'Unsupported compression type'), plainType, {
      'Accept-Encoding': 'gzip, deflate',
    });
  try {
    return await decompress[encoding](body, { maxOutputLength: maxInputSize });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(undefined, maxInputSize);
    throw new StatusError('INVALID_ARGUMENT', `Unable to decompress the request body: it is not valid ${encoding}.`);
  }
}

/** A body in the encoding that the client accepts, with its Content-Encoding header. */
export async function encodedBody(
  body: Buffer,
  accepted: string | string[] | undefined,
): Promise<{ body: Buffer; headers: Record<string, string> }> {
  const encoding = preferredEncoding([accepted ?? []].flat().join(','));
  if (encoding === undefined) return { body, headers: {} };
  return { body: await compress[encoding](body), headers: { 'Content-Encoding': encoding } };
}

/** The supported encoding with the highest weight, the first of several; undefined if there is none. */
function preferredEncoding(accepted: string): Encoding | undefined {
  let best: Encoding | undefined;
  let highest = 0;
  for (const part of accepted.split(',')) {
    const [name = '', weight = '1'] = part.trimStart().split(';q=');
    const value = Number.parseFloat(weight);
    if (!(value > highest) || !['identity', 'gzip', 'deflate'].includes(name)) continue;
    highest = value;
    best = name === 'identity' ? undefined : (name as Encoding);
  }
  return best;
}

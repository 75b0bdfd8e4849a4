import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { tinyApp, tinyEndpoint } from '../../test/support/tiny-app.ts';
import { decodeZstd } from './zstd.ts';

const error = (code: string, message: string) => ({
  error: { message, type: 'invalid_request_error', param: null, code },
});

const echo = tinyEndpoint({
  methods: ['POST'],
  handler:
    () =>
    async ({ body }) =>
      body,
});

const most = 100_000;

async function send(payload: string | Buffer, encoding: string) {
  const app = tinyApp([echo], { maxInputSize: most });
  const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
  const { statusCode, body, headers: own } = await app.inject({ method: 'POST', url: '/', headers, payload });
  return [statusCode, JSON.parse(body), own['accept-encoding']];
}

/** `{"a":[1,2]}`, from the program zstd with a checksum and without a size. */
const small = Buffer.from('KLUv/QRYWQAAeyJhIjpbMSwyXX1O3oxL', 'base64');

/** A zstd frame without a size, whose blocks repeat a byte. */
function repeated(byte: number, size: number): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58]);
  const blocks: Buffer[] = [];
  for (let left = size; left > 0; left -= 131_072) {
    const length = Math.min(left, 131_072);
    const head = (length << 3) | (1 << 1) | (left <= 131_072 ? 1 : 0);
    blocks.push(Buffer.from([head & 255, (head >> 8) & 255, head >> 16, byte]));
  }
  return Buffer.concat([header, ...blocks]);
}

const json = '{"a":[1,2]}';
const tooLarge = 'Request body is too large after decompression: the limit is set by --http-max-input-size.';

describe('a compressed body', () => {
  it.each([
    ['gzip', gzipSync(json)],
    ['x-gzip', gzipSync(json)],
    ['GZIP', gzipSync(json)],
    ['deflate', deflateSync(json)],
    ['br', brotliCompressSync(json)],
    ['zstd', small],
    ['zstd', Buffer.concat([repeated(0x20, 50), small])],
  ])('is read from %s', async (encoding, payload) => {
    expect(await send(payload, encoding)).toEqual([200, { a: [1, 2] }, undefined]);
  });

  const bomb = Buffer.alloc(20_000_000, ' ');
  it.each([
    ['gzip', gzipSync(bomb)],
    ['deflate', deflateSync(bomb)],
    ['br', brotliCompressSync(bomb)],
    ['zstd', repeated(0x20, 20_000_000)],
  ])('that expands a thousandfold from %s is too large', async (encoding, payload) => {
    expect(payload.length).toBeLessThan(most);
    expect(await send(payload, encoding)).toEqual([413, error('request_too_large', tooLarge), undefined]);
  });

  it.each([
    ['gzip', gzipSync(json).subarray(0, 15)],
    ['deflate', Buffer.from(json)],
    ['br', Buffer.from(json)],
    ['zstd', Buffer.from(json)],
    ['zstd', small.subarray(0, 20)],
    ['zstd', Buffer.concat([small, Buffer.from('more')])],
    ['zstd', Buffer.alloc(0)],
  ])('that is not valid %s is a 400', async (encoding, payload) => {
    const message = `Request body is not valid ${encoding} data, which its header "Content-Encoding" says that it is.`;
    expect(await send(payload, encoding)).toEqual([400, error('invalid_request', message), undefined]);
  });

  it.each(['compress', 'gzip, zstd', 'constructor', '__proto__'])(
    'in the encoding %s is refused by name',
    async (encoding) => {
      const message = `Content-Encoding ${JSON.stringify(encoding)} is not supported. Send one of gzip, deflate, br, zstd, or no encoding.`;
      expect(await send('x', encoding)).toEqual([
        415,
        error('unsupported_media_type', message),
        'gzip, deflate, br, zstd',
      ]);
    },
  );

  it('that is too large before it is decompressed gets a response on its connection', async () => {
    const app = tinyApp([echo], { maxInputSize: most });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const status = await new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
      const sent = request({ host: '127.0.0.1', port, method: 'POST', headers }, (response) => {
        resolve(response.statusCode);
        response.resume();
        sent.destroy();
      });
      sent.on('error', reject);
      // Not ended: the server must not wait for the rest.
      sent.write(Buffer.alloc(most + 1));
    });
    expect(status).toBe(413);
    await app.close();
  });
});

describe('zstd data', () => {
  it('is decoded whole, up to the limit', async () => {
    const size = 3_000_000;
    expect((await decodeZstd(repeated(0x61, size), size))?.equals(Buffer.alloc(size, 'a'))).toBe(true);
    expect(await decodeZstd(repeated(0x61, size), size - 1)).toBeUndefined();
  });

  it('has a limited number of frames, which also stops empty ones', async () => {
    const empty = Buffer.from('502a4d1800000000', 'hex');
    const frames = (count: number) => Buffer.concat(Array.from({ length: count }, () => empty));
    expect((await decodeZstd(Buffer.concat([frames(1_000), small]), 100))?.toString()).toBe(json);
    await expect(decodeZstd(frames(1_025), 100)).rejects.toThrow('The zstd data has more than 1024 frames.');
  });

  it('is decoded side by side', async () => {
    const sizes = [1_000_000, 0, 2_000_000, 10];
    const texts = await Promise.all(sizes.map((size, at) => decodeZstd(repeated(0x61 + at, size + 1), 3_000_000)));
    expect(texts.map((text) => [text?.length, text?.[0]])).toEqual(sizes.map((size, at) => [size + 1, 0x61 + at]));
  });

  it('that is broken fails, and what comes after it does not', async () => {
    const broken = Buffer.from(small);
    broken[broken.length - 1] = 0;
    for (let time = 0; time < 100; time++) {
      await expect(decodeZstd(broken, most)).rejects.toThrow('broken');
      await expect(decodeZstd(small.subarray(0, 12), most)).rejects.toThrow('incomplete');
    }
    expect(String(await decodeZstd(small, most))).toBe(json);
  });

  it('lets other work go on', async () => {
    let turns = 0;
    const count = setInterval(() => turns++, 0);
    await decodeZstd(repeated(0x61, 60_000_000), 60_000_000);
    clearInterval(count);
    expect(turns).toBeGreaterThan(5);
  });
});

import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { begin } from '../gateway/requests.ts';
import type { Conch } from '../support/conch.ts';
import { startGateway } from '../support/gateway.ts';
import { dataUrl, pngOf, sample } from '../support/image-fixtures.ts';
import { chat, firstUrl, hashOf, image, imagesIn, refusal, user, whichImages } from './requests.ts';

interface Pictures {
  readonly server: Server;
  readonly port: number;
  /** How often something has connected to it. */
  connections(): number;
}

async function pictures(host: string, respond: RequestListener): Promise<Pictures> {
  let connections = 0;
  const server = createServer(respond).on('connection', () => (connections += 1));
  server.listen(0, host);
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port, connections: () => connections };
}

/** What stands behind each path of the server that may be asked. */
const responses: Record<string, RequestListener> = {
  '/png': (_, response) => response.end(sample('png')),
  '/webp': (_, response) => response.end(sample('webpLossless')),
  '/named-wrongly.txt': (_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(sample('gif')),
  '/page': (_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('<html>secret</html>'),
  '/large': (_, response) => response.end(Buffer.alloc(70_000)),
  '/bomb': (_, response) => response.end(pngOf(2 ** 31 - 1, 2 ** 31 - 1)),
  '/missing': (_, response) => response.writeHead(404).end('secret'),
  '/slow': () => undefined,
  '/to-png': (_, response) => response.writeHead(307, { location: '/png' }).end(),
  '/to-inner': (_, response) => response.writeHead(302, { location: `http://127.0.0.2:${inner.port}/png` }).end(),
  '/to-localhost': (_, response) => response.writeHead(302, { location: `http://localhost:${open.port}/png` }).end(),
};

let conch: Conch;
let open: Pictures;
let inner: Pictures;
beforeAll(async () => {
  open = await pictures('127.0.0.3', (request, response) => responses[request.url ?? '']?.(request, response));
  inner = await pictures('127.0.0.2', (_, response) => response.end(sample('png')));
  const hosts = `127.0.0.3:${open.port},127.0.0.2:${inner.port}`;
  const inside = '127.0.0.1,localhost,[::1],[::ffff:127.0.0.1],0.0.0.0,169.254.169.254';
  const sources = ['--allow-image-urls', hosts, '--allow-image-urls', inside, '--allow-image-addresses', '127.0.0.3'];
  conch = await startGateway(...sources, '--max-image-size', '64KiB', '--image-timeout', '2s');
});
afterAll(async () => {
  await conch.stop();
  for (const { server } of [open, inner]) {
    server.closeAllConnections();
    server.close();
  }
});

const at = (path: string): string => `http://127.0.0.3:${open.port}${path}`;
const responseTo = async (...urls: readonly string[]): Promise<unknown> => {
  const response = await chat(conch.url, [user(...urls.map((url) => image(url)), whichImages)]);
  return response.status === 200 ? imagesIn(response) : [response.status, response.body];
};

const refused = refusal(firstUrl, 'is on a host with a private or reserved address (--allow-image-addresses).');
const unlisted = refusal(firstUrl, 'is on a host that is not allowed (--allow-image-urls).');

describe('an image by its address', () => {
  it('is fetched, in its order among others, over a redirect, and known by its bytes', async () => {
    const hashes = (['gif', 'png', 'jpeg', 'webpLossless'] as const).map((name) => hashOf(sample(name)));
    const urls = [at('/named-wrongly.txt'), at('/to-png'), dataUrl(sample('jpeg')), at('/webp')];
    expect(await responseTo(...urls)).toEqual([hashes]);
  });

  it.each([
    ['/page', 'is not a PNG, JPEG, WebP or GIF file.'],
    ['/large', 'is larger than the 65536 bytes allowed (--max-image-size).'],
    ['/bomb', 'has 2147483647 x 2147483647 pixels; at most 33554432 pixels are allowed (--max-image-pixels).'],
    ['/missing', 'could not be fetched.'],
    ['/slow', 'was not fetched within 2000 ms (--image-timeout).'],
  ])('is refused by what stands there: %s', async (path, reason) => {
    expect(await responseTo(at(path))).toEqual(refusal(firstUrl, reason));
  });

  it.each([
    ['http://localhost/', 'the name of this machine'],
    ['http://127.0.0.1/', 'its address'],
    ['http://2130706433/', 'the same as one number'],
    ['http://0177.1/', 'the same in octal'],
    ['http://[::ffff:127.0.0.1]/', 'the same inside IPv6'],
    ['http://[::1]/', 'loopback of IPv6'],
    ['http://0.0.0.0/', 'unspecified'],
    ['http://169.254.169.254/latest/meta-data/', 'the secrets of a cloud'],
  ])('is refused inside, although its host is listed: %s (%s)', async (url) => {
    expect(await responseTo(url)).toEqual(refused);
  });

  it('is refused behind a listed address that is not allowed, and behind a redirect to it: nothing connects', async () => {
    expect(await responseTo(`http://127.0.0.2:${inner.port}/png`)).toEqual(refused);
    expect(await responseTo(at('/to-inner'))).toEqual(refused);
    expect(await responseTo(at('/to-localhost'))).toEqual(unlisted);
    expect(inner.connections()).toBe(0);
  });

  it.each([
    'http://10.0.0.1/',
    'http://[fd00::1]/',
    'http://192.168.0.1/',
    'http://[::ffff:10.0.0.1]/',
    'http://167772161/',
  ])('is refused on a host that is not listed: %s', async (url) => expect(await responseTo(url)).toEqual(unlisted));

  it('is the listed address in whatever form', async () => {
    const hashes = [hashOf(sample('png'))];
    for (const host of ['2130706435', '0x7f.3', '127.3'])
      expect(await responseTo(`http://${host}:${open.port}/png`)).toEqual([hashes]);
  });

  it('is not fetched where another image of the request is refused', async () => {
    const before = open.connections();
    expect(await responseTo('data:,', at('/png'))).toEqual(
      refusal(firstUrl, 'must be a base64 data URL: data:image/png;base64,...'),
    );
    expect(open.connections()).toBe(before);
  });

  it('is no longer fetched when the client leaves', async () => {
    let requested = (): void => undefined;
    const isRequested = new Promise<void>((resolve) => {
      requested = resolve;
    });
    let closed: Promise<unknown> | undefined;
    responses['/left'] = (_, response) => {
      closed = once(response, 'close');
      requested();
    };
    const body = { model: 'vllm-toy', messages: [user(image(at('/left')))] };
    const { leave } = begin(`${conch.url}/v1/chat/completions`, body);
    await isRequested;
    await leave();
    await closed;
    const line = await conch.logged(({ status }) => status === 499);
    expect(line['status']).toBe(499);
  });
});

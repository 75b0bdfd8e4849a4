import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { sample } from '../../test/support/image-fixtures.ts';
import { type FetchOptions, fetchImage } from './fetch-image.ts';

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(
    servers.splice(0).map((server) => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    }),
  );
});

/** A server of pictures, with the connections and the requests that it has seen. */
async function serve(respond: RequestListener, host = '127.0.0.1') {
  const seen = { connections: 0, requests: [] as object[] };
  const server = createServer((request, response) => {
    const { host: named, cookie, authorization, ...rest } = request.headers;
    seen.requests.push({ path: request.url, host: named, cookie, authorization, accept: rest.accept });
    respond(request, response);
  });
  server.on('connection', () => (seen.connections += 1));
  servers.push(server);
  server.listen(0, host);
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, seen };
}

const png = sample('png');
const loopback = { address: '127.0.0.1', prefix: 32 };

function options(parts: Partial<FetchOptions> & { ports?: number[] } = {}): FetchOptions {
  const { ports = [], ...rest } = parts;
  return {
    sources: { hosts: ports.map((port) => ({ host: 'pictures.test', port })), addresses: [loopback] },
    limits: { bytes: 1000, pixels: 1000 },
    timeout: 10_000,
    signal: new AbortController().signal,
    resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    ...rest,
  };
}

async function fail(url: string, parts: FetchOptions): Promise<string> {
  return fetchImage(url, parts).then(
    () => 'fetched',
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

const refused = 'ImageError: is on a host with a private or reserved address (--allow-image-addresses).';
const unlisted = 'ImageError: is on a host that is not allowed (--allow-image-urls).';

describe('fetchImage', () => {
  it('asks the address that was checked, under the name of the host and without credentials', async () => {
    const { port, seen } = await serve((_, response) => response.end(png));
    expect(await fetchImage(`http://Pictures.test:${port}/a.png?b`, options({ ports: [port] }))).toEqual(png);
    const host = `pictures.test:${port}`;
    expect(seen).toEqual({
      connections: 1,
      requests: [{ path: '/a.png?b', host, cookie: undefined, authorization: undefined, accept: 'image/*' }],
    });
  });

  it.each([
    ['http://other.test/', unlisted],
    ['http://pictures.test:81/', unlisted],
    ['http://notpictures.test/', unlisted],
    ['http://user@pictures.test/', 'ImageError: must not contain a user name or password.'],
    ['http://:secret@pictures.test/', 'ImageError: must not contain a user name or password.'],
    ['file:///etc/passwd', 'ImageError: must be a data URL, or a URL with http:// or https://.'],
    ['ftp://pictures.test/', 'ImageError: must be a data URL, or a URL with http:// or https://.'],
    ['pictures.test/a.png', 'ImageError: must be a data URL, or a URL with http:// or https://.'],
    ['http://', 'ImageError: must be a data URL, or a URL with http:// or https://.'],
  ])('refuses %s before anything is looked up', async (url, reason) => {
    const sources = { hosts: [{ host: 'pictures.test' }], addresses: [] };
    const resolve = () => Promise.reject(new Error('The name was looked up.'));
    expect(await fail(url, options({ sources, resolve }))).toBe(reason);
  });

  it('takes the hosts below a name, and the usual ports', async () => {
    const sources = { hosts: [{ host: '*.pictures.test' }, { host: '::1', port: 5 }], addresses: [] };
    const found = options({ sources, resolve: () => Promise.resolve([{ address: '10.0.0.1', family: 4 }]) });
    for (const url of [
      'http://a.pictures.test',
      'https://a.b.pictures.test.',
      'https://a.pictures.test:80',
      'http://[::1]:5',
    ])
      expect([url, await fail(url, found)]).toEqual([url, refused]);
    for (const url of ['http://pictures.test', 'http://.pictures.test', 'http://a.pictures.test:8080', 'http://[::1]'])
      expect([url, await fail(url, found)]).toEqual([url, unlisted]);
  });

  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://localtest.test/',
  ])('connects to nothing inside for %s, although its host is listed', async (url) => {
    const { hostname } = new URL(url);
    const sources = { hosts: [{ host: hostname.replace(/^\[|\]$/g, '') }], addresses: [] };
    const { resolve: _, ...withSystemResolver } = options({ sources });
    const stub = { resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) };
    expect(await fail(url, { ...withSystemResolver, ...(hostname === 'localtest.test' ? stub : {}) })).toBe(refused);
  });

  it('refuses a name with one good and one inner address', async () => {
    const { port, seen } = await serve((_, response) => response.end(png));
    const both = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
    expect(
      await fail(`http://pictures.test:${port}/`, options({ ports: [port], resolve: () => Promise.resolve(both) })),
    ).toBe(refused);
    expect(seen.connections).toBe(0);
  });

  it('checks redirects as it checks the first address', async () => {
    const inner = await serve((_, response) => response.end(png), '127.0.0.2');
    const locations: Record<string, string> = {
      '/inner': `http://inner.test:${inner.port}/`,
      '/literal': `http://127.0.0.2:${inner.port}/`,
      '/unlisted': `http://unlisted.test:${inner.port}/`,
      '/file': 'file:///etc/passwd',
      '/user': `http://user@pictures.test/`,
      '/good': 'good.png',
      '/loop': '/loop',
    };
    const { port, seen } = await serve((request, response) => {
      const location = locations[request.url ?? ''];
      if (location) response.writeHead(302, { location, 'set-cookie': 'a=b' });
      response.end(png);
    });
    const hosts = [
      { host: 'pictures.test', port },
      { host: 'inner.test', port: inner.port },
      { host: '127.0.0.2', port: inner.port },
    ];
    const resolve = (host: string) =>
      Promise.resolve([{ address: host === 'pictures.test' ? '127.0.0.1' : '127.0.0.2', family: 4 }]);
    const requested = options({ sources: { hosts, addresses: [loopback] }, resolve });
    const responses = Object.keys(locations).map(async (path) => [
      path,
      await fail(`http://pictures.test:${port}${path}`, requested),
    ]);
    expect(Object.fromEntries(await Promise.all(responses))).toEqual({
      '/inner': refused,
      '/literal': refused,
      '/unlisted': unlisted,
      '/file': 'ImageError: must be a data URL, or a URL with http:// or https://.',
      '/user': 'ImageError: must not contain a user name or password.',
      '/good': 'fetched',
      '/loop': 'ImageError: redirects more than 3 times.',
    });
    expect(inner.seen).toEqual({ connections: 0, requests: [] });
    expect(seen.requests).toHaveLength(6 + 1 + 4);
    expect(seen.requests.every((request) => Reflect.get(request, 'cookie') === undefined)).toBe(true);
  });

  it.each([
    ['a length that is too large', { 'content-length': '1001' }, 200],
    ['a body that is too large', {}, 200],
  ])('stops at %s', async (_, headers, status) => {
    let isClosed: Promise<unknown> | undefined;
    const { port } = await serve((_request, response) => {
      isClosed = once(response, 'close');
      response.writeHead(status, headers);
      response.write(Buffer.alloc(1001));
    });
    expect(await fail(`http://pictures.test:${port}/`, options({ ports: [port] }))).toBe(
      'ImageError: is larger than the 1000 bytes allowed (--max-image-size).',
    );
    await isClosed;
  });

  it.each([
    ['a status', (response: Parameters<RequestListener>[1]) => response.writeHead(403).end('secret')],
    ['a redirect to nowhere', (response: Parameters<RequestListener>[1]) => response.writeHead(302).end('secret')],
    [
      'a compressed body',
      (response: Parameters<RequestListener>[1]) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end('secret'),
    ],
    [
      'a broken connection',
      (response: Parameters<RequestListener>[1]) =>
        response.writeHead(200, { 'content-length': '9' }).write('s', () => response.destroy()),
    ],
    ['no HTTP', (response: Parameters<RequestListener>[1]) => response.socket?.end('secret')],
  ])('does not tell what came instead of a picture: %s', async (_, respond) => {
    const { port } = await serve((_request, response) => void respond(response));
    expect(await fail(`http://pictures.test:${port}/`, options({ ports: [port] }))).toBe(
      'ImageError: could not be fetched.',
    );
  });

  it('does not tell whether a name or a port exists', async () => {
    const { port } = await serve((_, response) => response.end(png));
    const nameless = () => Promise.reject(new Error('ENOTFOUND'));
    expect([
      await fail(`http://pictures.test:${port}/`, options({ ports: [port], resolve: nameless })),
      await fail('http://pictures.test:1/', options({ ports: [1] })),
    ]).toEqual(['ImageError: could not be fetched.', 'ImageError: could not be fetched.']);
  });

  it.each([
    ['an answer', (response: Parameters<RequestListener>[1]) => void response],
    ['a body', (response: Parameters<RequestListener>[1]) => void response.writeHead(200).write('x')],
  ])('gives up on a server that is slow with %s', async (_, respond) => {
    const { port } = await serve((_request, response) => respond(response));
    expect(await fail(`http://pictures.test:${port}/`, options({ ports: [port], timeout: 50 }))).toBe(
      'ImageError: was not fetched within 50 ms (--image-timeout).',
    );
    const never = () => new Promise<never>(() => undefined);
    expect(await fail(`http://pictures.test:${port}/`, options({ ports: [port], timeout: 50, resolve: never }))).toBe(
      'ImageError: was not fetched within 50 ms (--image-timeout).',
    );
  });

  it('ends with the request', async () => {
    const controller = new AbortController();
    let isClosed: Promise<unknown> | undefined;
    const { port } = await serve((_, response) => {
      isClosed = once(response, 'close');
      controller.abort();
    });
    expect(await fail(`http://pictures.test:${port}/`, options({ ports: [port], signal: controller.signal }))).toBe(
      'ImageError: could not be fetched.',
    );
    await isClosed;
    expect(await fail(`http://pictures.test:${port}/`, options({ ports: [port], signal: controller.signal }))).toBe(
      'ImageError: could not be fetched.',
    );
  });
});

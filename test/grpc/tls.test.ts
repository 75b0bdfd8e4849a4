import net from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { ChannelOptions } from '../../src/servers/remote/channel.ts';
import { pulled } from '../support/pulled-responses.ts';
import { startTriton, type Triton } from '../support/triton.ts';
import { CertificateMaker } from './certificates.ts';
import { batchesOf, errorOf, remoteServer } from './remote.ts';

const maker = new CertificateMaker();
const authority = maker.authority('authority');
const stranger = maker.authority('stranger');
const server = maker.signed('server', { by: 'authority', names: 'DNS:localhost,DNS:triton.internal' });
const client = maker.signed('client', { by: 'authority', names: 'DNS:conch' });
const strangeClient = maker.signed('strange-client', { by: 'stranger', names: 'DNS:conch' });
afterAll(() => maker.remove());

const startSecureTriton = (...flags: readonly string[]) =>
  startTriton({
    repository: 'test/models',
    modelControl: 'explicit',
    loadModels: ['add-one'],
    extraArguments: [
      '--grpc-use-ssl=1',
      `--grpc-server-cert=${server.certificateFile}`,
      `--grpc-server-key=${server.keyFile}`,
      `--grpc-root-cert=${authority.certificateFile}`,
      ...flags,
    ],
  });

const number = { name: 'number', datatype: 'INT32', shape: [1], data: Buffer.of(1, 0, 0, 0) } as const;

/** What a client of these options hears: one answer of each kind of call, or how the first one failed. */
async function hears(port: number, options: Partial<ChannelOptions>) {
  const remote = remoteServer(port, { host: 'localhost', ...options });
  try {
    const request = { model: 'add-one', id: '', inputs: [number] };
    const unary = (await remote.infer(request)).raw('sum');
    return [unary, (await batchesOf(pulled(remote, request))).flat().map((response) => response.raw('sum'))];
  } catch {
    // The second call comes before the next attempt is due: it fails with the same words.
    return await errorOf(remote.call('ServerLive', {}));
  } finally {
    await remote.close();
  }
}

const responses = [Buffer.of(2, 0, 0, 0), [Buffer.of(2, 0, 0, 0)]];
const unreachable = (port: number, reason: string | RegExp, host = 'localhost') => ({
  code: 'UNAVAILABLE',
  message:
    typeof reason === 'string'
      ? `No connection to ${host}:${port}: ${reason}.`
      : (expect.stringMatching(reason) as string),
  unreachable: true,
});

describe.skipIf(maker.isLeftOut)('TLS', () => {
  let triton: Triton;
  beforeAll(async () => {
    triton = await startSecureTriton();
  });
  afterAll(() => triton.stop());

  it('works with the right authority, and without delay of small packets', async () => {
    const noDelay = vi.spyOn(net.Socket.prototype, 'setNoDelay');
    expect(await hears(triton.grpcPort, { secure: { ca: authority.cert } })).toEqual(responses);
    expect(noDelay.mock.calls).toContainEqual([true]);
    noDelay.mockRestore();
  });

  it('refuses a server that another authority has signed', async () => {
    const expected = unreachable(triton.grpcPort, 'self-signed certificate in certificate chain');
    expect(await hears(triton.grpcPort, { secure: { ca: stranger.cert } })).toEqual(expected);
    expect(await hears(triton.grpcPort, { secure: {} })).toEqual(expected);
  });

  it('refuses a server of another name, unless the name to expect is given', async () => {
    const host = '127.0.0.1';
    expect(await hears(triton.grpcPort, { host, secure: { ca: authority.cert } })).toEqual(
      unreachable(
        triton.grpcPort,
        "Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list: ",
        host,
      ),
    );
    const secure = { ca: authority.cert, servername: 'triton.internal' };
    expect(await hears(triton.grpcPort, { host, secure })).toEqual(responses);
    expect(await hears(triton.grpcPort, { secure: { ca: authority.cert, servername: 'other' } })).toEqual(
      unreachable(
        triton.grpcPort,
        "Hostname/IP does not match certificate's altnames: Host: other. is not in the cert's altnames: DNS:localhost, DNS:triton.internal",
      ),
    );
  });

  it('that only one side speaks is said so', async () => {
    expect(await hears(triton.grpcPort, {})).toEqual(
      unreachable(triton.grpcPort, 'the server closed the connection; it probably requires TLS (--triton-tls)'),
    );
    const { grpcPort } = inject('triton');
    expect(await hears(grpcPort, { secure: { ca: authority.cert } })).toEqual(
      unreachable(grpcPort, 'the server does not speak TLS on this port'),
    );
  });
});

describe.skipIf(maker.isLeftOut)('mutual TLS', () => {
  let triton: Triton;
  beforeAll(async () => {
    triton = await startSecureTriton('--grpc-use-ssl-mutual=1');
  });
  afterAll(() => triton.stop());

  it('works with a certificate that the authority has signed', async () => {
    const { key, cert } = client;
    expect(await hears(triton.grpcPort, { secure: { ca: authority.cert, key, cert } })).toEqual(responses);
  });

  it('refuses a client without a certificate or with a strange one', async () => {
    const { key, cert } = strangeClient;
    expect(await hears(triton.grpcPort, { secure: { ca: authority.cert } })).toEqual(
      unreachable(
        triton.grpcPort,
        'the server closed the connection; it probably requires a client certificate (--triton-cert)',
      ),
    );
    expect(await hears(triton.grpcPort, { secure: { ca: authority.cert, key, cert } })).toEqual(
      unreachable(
        triton.grpcPort,
        'the server closed the connection; it probably does not trust the client certificate',
      ),
    );
  });

  it('says when the client cannot read its own key', async () => {
    const { cert } = client;
    expect(await hears(triton.grpcPort, { secure: { ca: authority.cert, key: 'no key', cert } })).toEqual(
      unreachable(triton.grpcPort, /TLS failed: /),
    );
  });
});

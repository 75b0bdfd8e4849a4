import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type Certificate, CertificateMaker } from '../grpc/certificates.ts';
import { runConch } from '../support/command.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { eventsOf, gatewayFlags } from '../support/gateway.ts';

const maker = new CertificateMaker();
const first = maker.authority('first');
const second = maker.authority('second');
const names = 'IP:127.0.0.1';
const own = maker.signed('own', { by: 'first', names });
const renewed = maker.signed('renewed', { by: 'second', names });
const client = maker.signed('client', { by: 'first', names: 'DNS:client' });
const stranger = maker.signed('stranger', { by: 'second', names: 'DNS:stranger' });

const folder = mkdtempSync(join(tmpdir(), 'conch-tls-'));
const files = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
const flags = ['--tls-cert', files.cert, '--tls-key', files.key];
let conch: Conch | undefined;

afterEach(async () => {
  await conch?.stop();
  conch = undefined;
});

afterAll(() => {
  maker.remove();
  rmSync(folder, { recursive: true });
});

function put({ certificateFile, keyFile }: Certificate): void {
  for (const [from, to] of [
    [certificateFile, files.cert],
    [keyFile, files.key],
  ] as const) {
    cpSync(from, `${to}.new`);
    renameSync(`${to}.new`, to);
  }
}

/** Starts on the first certificate and waits until the models, and their tokenizers, are there. */
async function start(more: readonly string[] = [], asker: https.RequestOptions = {}): Promise<string> {
  put(own);
  conch = await startConch({ flags: [...gatewayFlags(), ...flags, ...more], waitsUntilReady: false });
  const { url } = conch;
  await conch.logged(({ message, models }) => message === 'models' && JSON.stringify(models).includes('vllm-toy'));
  expect(new URL(url).protocol).toBe('https:');
  expect(await ask(`${url}/v1/models`, { ca: first.cert, ...asker })).toMatchObject({ status: 200 });
  return url;
}

interface Requested {
  readonly status: number | undefined;
  readonly text: string;
  readonly protocol: string | false | null;
}

/** A request on a connection of its own; `onData` hears each piece of the answer. */
function ask(
  url: string,
  options: https.RequestOptions,
  { body, onData }: { body?: unknown; onData?: (text: string) => void } = {},
): Promise<Requested> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const headers = { 'content-type': 'application/json' };
    const request = https.request(url, { agent: false, method, headers, ...options }, (response) => {
      const protocol = (response.socket as TLSSocket).alpnProtocol;
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
        onData?.(piece);
      });
      response.on('end', () => resolve({ status: response.statusCode, text, protocol }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

describe.skipIf(maker.isLeftOut)('a Conch with a certificate', { timeout: 120_000 }, () => {
  it('speaks HTTP/1.1 over TLS alone', async () => {
    const url = await start();
    const response = await ask(`${url}/health/live`, {
      ca: first.cert,
      ALPNProtocols: ['h2', 'http/1.1'],
    } as https.RequestOptions);
    expect(response).toEqual({ status: 200, text: '{"status":"live"}', protocol: 'http/1.1' });
    await expect(ask(`${url}/health/live`, { ca: second.cert })).rejects.toThrow(/certificate/);
    await expect(fetch(`${url.replace('https', 'http')}/health/live`)).rejects.toThrow('fetch failed');
    expect(await conch?.stop()).toBe(0);
  });

  it('shows a new certificate to new connections, while streams go on, and keeps the old where the new is broken', async () => {
    const url = await start();
    let begun = (): void => undefined;
    const isStarted = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const prompt = '<<{"tokens": 30, "delay_ms": 100}>>';
    const stream = ask(
      `${url}/v1/completions`,
      { ca: first.cert },
      { body: { model: 'vllm-toy', prompt, max_tokens: 40, stream: true }, onData: () => begun() },
    );
    await isStarted;
    writeFileSync(files.cert, 'no certificate at all');
    const stored = await conch?.logged(({ message }) => String(message).startsWith('the certificate is unchanged'));
    expect(stored?.['level']).toBe('error');
    expect(await ask(`${url}/health/live`, { ca: first.cert })).toMatchObject({ status: 200 });
    put(renewed);
    await conch?.logged(({ message }) => String(message).endsWith('new connections get the new certificate'));
    expect(await ask(`${url}/health/live`, { ca: second.cert })).toMatchObject({ status: 200 });
    await expect(ask(`${url}/health/live`, { ca: first.cert })).rejects.toThrow(/certificate/);
    const { status, text } = await stream;
    expect(status).toBe(200);
    const events = eventsOf(text) as { choices: { text: string }[] }[];
    expect(events.at(-1)).toBe('[DONE]');
    const said = events.slice(0, -1).map(({ choices }) => choices[0]?.text ?? '');
    expect(said.join('')).toBe(Array.from({ length: 30 }, (_, at) => ` w${at + 1}`).join(''));
  });

  it('lets clients in that an authority vouches for, and no others', async () => {
    const url = await start(['--tls-client-ca', first.certificateFile], { cert: client.cert, key: client.key });
    const at = `${url}/health/live`;
    const asClient = ({ cert, key }: Certificate) => ask(at, { ca: first.cert, cert, key });
    expect(await asClient(client)).toMatchObject({ status: 200 });
    await expect(ask(at, { ca: first.cert })).rejects.toThrow(/certificate required|ECONNRESET|socket hang up/);
    await expect(asClient(stranger)).rejects.toThrow(/unknown ca|ECONNRESET|socket hang up/i);
  });

  it('speaks TLS on the ports of KServe too', async () => {
    await start(['--enable-kserve-frontends', '--kserve-http-port', '0', '--kserve-grpc-port', '0']);
    const locationOf = async (prefix: string): Promise<string> => {
      const line = await conch?.logged(({ message }) => String(message).startsWith(prefix));
      return String(line?.['message']).slice('KServe listens on '.length);
    };
    const overHttp = await ask(`${await locationOf('KServe listens on https')}/v2/health/live`, { ca: first.cert });
    expect(overHttp.status).toBe(200);
    const location = await locationOf('KServe listens on grpcs');
    expect(await serverLive(location.replace('grpcs', 'https'))).toEqual({ status: '0', protocol: 'h2' });
  });

  it.each([
    ['of another key', own.certificateFile, renewed.keyFile],
    ['that is none', own.keyFile, own.keyFile],
  ])('does not start with a certificate %s', async (_, certificate, key) => {
    const { code, stderr } = await runConch(['--tls-cert', certificate, '--tls-key', key, '--port', '0']);
    expect(code).toBe(2);
    expect(stderr).toContain(`--tls-cert: ${certificate} and ${key} are not a certificate and its key: `);
  });
});

/** The outcome of ServerLive, and what the connection speaks. */
function serverLive(origin: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const session = http2.connect(origin, { ca: first.cert });
    session.on('error', reject);
    const stream = session.request({
      ':method': 'POST',
      ':path': '/inference.GRPCInferenceService/ServerLive',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.on('trailers', (trailers) => {
      const { alpnProtocol } = session;
      session.close();
      resolve({ status: trailers['grpc-status'], protocol: alpnProtocol });
    });
    stream.on('error', reject);
    stream.resume();
    stream.end(Buffer.alloc(5));
  });
}

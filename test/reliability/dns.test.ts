import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { begin } from '../gateway/requests.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { inRoot } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf } from '../support/gateway.ts';
import { freePorts } from '../support/ports.ts';
import type { Triton } from '../support/triton.ts';
import { complete, serversOf, startTritons, untilServers } from './two-servers.ts';

let tritons: Triton[];
let dns: DnsServer;
let conch: Conch;
let relays: net.Server[];
let port: number;
beforeAll(async () => {
  [port = 0] = await freePorts(1);
  tritons = await startTritons(['vllm-toy'], ['vllm-toy']);
  relays = await Promise.all(tritons.map(({ grpcPort }, at) => relay(`127.0.0.${at + 1}`, grpcPort)));
  dns = await startDnsServer({ 'triton.test': ['127.0.0.1'] });
  conch = await startConch({
    flags: [
      `--triton=dns:triton.test:${port}`,
      `--dns-server=${dns.address}`,
      '--dns-interval=100ms',
      `--chat-template=${inRoot('test/gateway/plain.jinja')}`,
      '--refresh-interval=200ms',
      '--slow-start=0',
    ],
  });
});
afterAll(async () => {
  await conch.stop();
  await dns.close();
  for (const server of relays) server.close();
  await Promise.all(tritons.map(({ stop }) => stop()));
});

/** Another address for a server: a name has one port for all of its addresses. */
async function relay(host: string, to: number): Promise<net.Server> {
  const server = net.createServer((socket) => {
    const target = net.connect(to, '127.0.0.1');
    socket.on('error', () => target.destroy());
    target.on('error', () => socket.destroy());
    socket.pipe(target).pipe(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(port, host, resolve);
  });
  return server;
}

const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

describe('a name that stands for many servers', () => {
  it('gains and loses servers with its addresses, and what runs on one that is gone ends well', async () => {
    expect(ids(await serversOf(conch))).toEqual([`127.0.0.1:${port}`]);
    const running = begin(`${conch.url}/v1/completions`, {
      model: 'vllm-toy',
      prompt: directive({ tokens: 2, hold_at: 1, tag: 'old' }),
      stream: true,
    });
    await running.until(' w1');

    dns.names = { 'triton.test': ['127.0.0.1', '127.0.0.2'] };
    await untilServers(conch, (rows) => rows.length === 2 && rows.every(({ ready }) => ready));
    await complete(conch, { answer: 'x' });
    expect((await serversOf(conch)).map(({ requests }) => requests)).toEqual([1, 1]);

    dns.names = { 'triton.test': ['127.0.0.2'] };
    await untilServers(conch, (rows) => rows.length === 1);
    expect((await complete(conch, { answer: 'x' })).status).toBe(200);
    expect(ids(await serversOf(conch))).toEqual([`127.0.0.2:${port}`]);

    const [one] = tritons as [Triton];
    await fetch(`http://127.0.0.1:${one.httpPort}/v2/models/vllm-toy/generate_stream`, {
      method: 'POST',
      body: JSON.stringify({ text_input: directive({ release: 'old' }), stream: false }),
    }).then((response) => response.text());
    expect(eventsOf(await running.whole()).at(-1)).toBe('[DONE]');
  });

  it('keeps its servers while it cannot be resolved', async () => {
    dns.names = undefined;
    await conch.logged(({ message }) => String(message).includes('cannot be resolved'));
    expect((await complete(conch, { answer: 'x' })).status).toBe(200);
    expect(ids(await serversOf(conch))).toEqual([`127.0.0.2:${port}`]);
  });
});

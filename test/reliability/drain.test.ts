import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { begin, countOf, release, user } from '../gateway/requests.ts';
import { grpcStatus } from '../security/grpc-status.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { inRoot } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post, sharedGateway, startGateway } from '../support/gateway.ts';
import { freePorts } from '../support/ports.ts';
import type { SharedConch } from '../support/shared-conch.ts';

/** Lets go what the others hold. */
let other: SharedConch;
beforeAll(async () => {
  other = await sharedGateway();
});

async function started(...flags: string[]): Promise<Conch> {
  const conch = await startGateway('--store', 'none', ...flags);
  onTestFinished(async () => void (await conch.stop()));
  return conch;
}

const held = (tag: string) => user(directive({ tokens: 4, hold_at: 2, tag }));
const isHeld = async (tag: string): Promise<void> =>
  expect(await countOf(other.url, tag, { until: 'held' })).toMatchObject({ state: 'held' });
const stopping = (conch: Conch) => conch.logged(({ message }) => String(message).startsWith('stopping: no new'));
const ready = async (url: string) => {
  const response = await fetch(`${url}/health/ready`);
  return { status: response.status, body: await response.json(), connection: response.headers.get('connection') };
};
const stopped = {
  message: 'The server was stopped before the response was complete.',
  type: 'server_error',
  param: null,
  code: 'server_not_ready',
};

describe('SIGTERM', () => {
  it('lets running answers finish, takes no new connections, and ends with 0', async () => {
    const conch = await started();
    const path = `${conch.url}/v1/chat/completions`;
    const reading = begin(path, { model: 'vllm-toy', messages: held('drain-streamed'), stream: true });
    const waiting = begin(path, { model: 'vllm-toy', messages: held('drain-whole') });
    await reading.until(' w2');
    await isHeld('drain-whole');
    const exit = conch.stop();
    await stopping(conch);
    await expect(fetch(`${conch.url}/health/live`)).rejects.toThrow('fetch failed');
    await release(other.url, 'drain-streamed');
    await release(other.url, 'drain-whole');
    const events = eventsOf(await reading.whole());
    expect(events.at(-1)).toBe('[DONE]');
    expect(JSON.parse(await waiting.whole())).toMatchObject({ choices: [{ message: { content: ' w1 w2 w3 w4' } }] });
    expect(await exit).toBe(0);
  });

  it('says that it is not ready, and still answers, while new connections are taken', async () => {
    const conch = await started('--drain-delay', '1h');
    process.kill(conch.pid, 'SIGTERM');
    await conch.logged(({ message }) => String(message).startsWith('stopping: no longer ready'));
    expect(await ready(conch.url)).toEqual({
      status: 503,
      body: { status: 'not ready', reason: 'The server is stopping.' },
      connection: 'close',
    });
    const prompt = directive({ answer: 'one' });
    const response = await post(`${conch.url}/v1/completions`, { model: 'vllm-toy', prompt });
    expect(response.headers.get('connection')).toBe('close');
    expect(response.body).toMatchObject({ choices: [{ text: 'one' }] });
    const streamed = await post(`${conch.url}/v1/completions`, { model: 'vllm-toy', prompt, stream: true });
    expect(streamed.headers.get('connection')).toBe('close');
    // The second signal ends it at once.
    expect(await conch.stop()).toBe(1);
  });

  it('ends what takes longer than the time to drain, and tells so by its exit code', async () => {
    const conch = await started('--drain-timeout', '300ms');
    const path = `${conch.url}/v1/chat/completions`;
    const reading = begin(path, { model: 'vllm-toy', messages: held('late-streamed'), stream: true });
    const waiting = post(path, { model: 'vllm-toy', messages: held('late-whole') });
    await reading.until(' w2');
    await isHeld('late-whole');
    const exit = conch.stop();
    expect(eventsOf(await reading.whole()).at(-1)).toEqual({ error: stopped });
    const { status, body } = await waiting;
    expect({ status, body }).toEqual({ status: 503, body: { error: stopped } });
    expect(await exit).toBe(1);
    expect(conch.log()).toContainEqual(
      expect.objectContaining({ level: 'error', requests: 2, message: expect.stringContaining('drain timeout') }),
    );
    for (const tag of ['late-streamed', 'late-whole'])
      expect(await countOf(other.url, tag, { until: 'cancelled' })).toMatchObject({ state: 'cancelled' });
  });

  it('does not wait for a client that keeps its connection without a request, nor for one that never ends its own', async () => {
    const conch = await started();
    const { port } = new URL(conch.url);
    const idle = connect(Number(port), '127.0.0.1');
    const endless = connect(Number(port), '127.0.0.1');
    await Promise.all([once(idle, 'connect'), once(endless, 'connect')]);
    endless.write(
      'POST /v1/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
    );
    // An answered request shows that the bytes before it have arrived.
    await fetch(`${conch.url}/health/live`);
    const closed = [idle, endless].map(
      (socket) =>
        new Promise((resolve) =>
          socket
            .on('error', () => undefined)
            .on('close', resolve)
            .resume(),
        ),
    );
    expect(await conch.stop()).toBe(0);
    await Promise.all(closed);
    expect([idle.destroyed, endless.destroyed]).toEqual([true, true]);
  });

  it('ends a start that waits for a server which never answers', async () => {
    const conch = await startConch({
      flags: ['--triton', '127.0.0.1:1', '--chat-template', inRoot('test/gateway/plain.jinja')],
      waitsUntilReady: false,
    });
    expect(await conch.stop()).toBe(0);
  });
});

describe('a response in the background', () => {
  it('is finished before the process ends', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'conch-drain-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const conch = await startGateway('--store', `sqlite:${join(folder, 'responses.sqlite')}`);
    onTestFinished(async () => void (await conch.stop()));
    const input = directive({ tokens: 4, hold_at: 2, tag: 'background' });
    const { body } = await post(`${conch.url}/v1/responses`, { model: 'vllm-toy', input, background: true });
    expect(body).toMatchObject({ status: 'queued' });
    await isHeld('background');
    const exit = conch.stop();
    await stopping(conch);
    await release(other.url, 'background');
    expect(await exit).toBe(0);
    expect(await countOf(other.url, 'background')).toMatchObject({ state: 'finished' });
  });
});

describe('the KServe frontends', () => {
  it('drain too', async () => {
    const [http = 0, grpc = 0] = await freePorts(2);
    const ports = ['--kserve-http-port', String(http), '--kserve-grpc-port', String(grpc)];
    const conch = await started(
      '--enable-kserve-frontends',
      ...ports,
      '--drain-delay',
      '300ms',
      '--drain-timeout',
      '1s',
    );
    const url = `http://127.0.0.1:${http}/v2`;
    const body = { text_input: directive({ tokens: 4, hold_at: 2, tag: 'kserve' }), stream: true };
    const reading = begin(`${url}/models/vllm-toy/generate_stream`, body);
    await reading.until(' w2');
    const service = '/inference.GRPCInferenceService/';
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    const exit = conch.stop();
    await conch.logged(({ message }) => String(message).startsWith('stopping: no longer ready'));
    expect((await fetch(`${url}/health/ready`)).status).toBe(400);
    expect(await grpcStatus(grpc, `${service}ServerLive`)).toEqual({ status: '0', message: undefined });
    expect(eventsOf(await reading.whole()).at(-1)).toEqual({ error: stopped.message });
    expect(await exit).toBe(1);
  });
});

import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { countOf } from '../gateway/requests.ts';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { startGateway } from '../support/gateway.ts';
import { slowReaders } from './slow-readers.ts';

/** Does not wait for readers. */
let conch: Conch;
/** Does not wait for senders. */
let hasty: Conch;
beforeAll(async () => {
  conch = await startGateway('--slow-client-timeout', '1s');
  hasty = await startGateway('--receive-timeout', '1s');
});
afterAll(async () => {
  await conch.stop();
  await hasty.stop();
});

function handles({ url }: Conch): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  return socket;
}

function ask(body: object, id: string): Socket {
  const text = JSON.stringify({ model: 'vllm-toy', ...body });
  const head = `POST /v1/completions HTTP/1.1\r\nhost: x\r\nx-request-id: ${id}\r\ncontent-type: application/json\r\n`;
  const socket = handles(conch);
  socket.write(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  return socket;
}

/** All that a connection brings until it is closed. */
async function wholeOf(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => (text += piece));
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

const cutOff = {
  status: 499,
  code: 'client_closed_request',
  reason: 'The client read nothing for 1 s and was disconnected (--slow-client-timeout).',
};

describe('a client that reads nothing', () => {
  it('of a long unstreamed answer is cut off', async () => {
    // More than the buffers of a connection hold, without a model.
    ask({ prompt: 'x '.repeat(100_000), echo: true, max_tokens: 0, n: 100 }, 'unstreamed').pause();
    expect(await conch.logged(({ reqId, status }) => reqId === 'unstreamed' && status !== undefined)).toMatchObject(
      cutOff,
    );
  });

  it('of a fast stream is cut off, and the model is told', async () => {
    expect(await slowReaders(1, '1s')).toMatchObject({ readers: 1 });
  });

  it('because there is nothing yet is waited for', async () => {
    const prompt = directive({ tokens: 2, delay_ms: 1500, start_delay_ms: 1500, tag: 'patient' });
    const socket = ask({ prompt, stream: true }, 'patient');
    let text = '';
    socket.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      if (text.includes('[DONE]')) socket.end();
    });
    await new Promise((resolve) => socket.once('close', resolve));
    expect(text).toContain(' w2');
    expect(text).toContain('data: [DONE]');
    expect(await countOf(conch.url, 'patient')).toMatchObject({ state: 'finished' });
  });
});

describe('a client that sends too slowly', () => {
  it.each([
    ['no end of its headers', 'POST /v1/completions HTTP/1.1\r\nhost: x\r\nx-slow:'],
    [
      'no end of its body',
      'POST /v1/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
    ],
  ])('(%s) is answered with a 408 and its connection closed', async (_, started) => {
    const socket = handles(hasty);
    socket.write(started);
    expect(await wholeOf(socket)).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  });

  it('(nothing at all) is closed', async () => {
    const socket = handles(hasty);
    await new Promise((resolve) => socket.resume().once('close', resolve));
    expect((await fetch(`${hasty.url}/health/live`)).status).toBe(200);
  });
});

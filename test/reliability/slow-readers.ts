import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { startConch } from '../support/conch.ts';
import { inRoot } from '../support/environment.ts';
import { peakOf, sampleMemory } from './memory.ts';
import { startTokenServer } from './token-server.ts';

const manyTokens = 1_000_000;
const fewTokens = 2000;

/** Readers that read nothing of a model that is fast: they are cut off, and memory stays near what as many fast ones take. */
export async function slowReaders(readers: number, slowClientTimeout: string) {
  const model = await startTokenServer(0);
  const template = ['--chat-template', inRoot('bench/chat-template.jinja')];
  const flags = ['--triton', `127.0.0.1:${model.port}`, '--slow-client-timeout', slowClientTimeout, ...template];
  const conch = await startConch({ flags });
  const ask = (tokens: number): Socket => {
    const { hostname, port } = new URL(conch.url);
    const messages = [{ role: 'user', content: 'Tell me of the sea.' }];
    const body = JSON.stringify({ model: 'bench', messages, stream: true, max_tokens: tokens });
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n` +
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    return socket;
  };
  const all = Array.from({ length: readers });
  const fast = sampleMemory(conch.pid, 50);
  await Promise.all(all.map(() => closed(ask(fewTokens).resume())));
  const fastPeak = peakOf(fast.stop());
  const slow = sampleMemory(conch.pid, 50);
  const started = performance.now();
  const sockets = all.map(() => ask(manyTokens).pause());
  const isCutOff = ({ reason }: Record<string, unknown>) => String(reason).includes('read nothing for');
  while (conch.log().filter(isCutOff).length < readers)
    await conch.logged((line) => isCutOff(line) && conch.log().filter(isCutOff).length >= readers);
  const seconds = (performance.now() - started) / 1000;
  const slowPeak = peakOf(slow.stop());
  for (const socket of sockets) socket.destroy();
  const lines = conch.log().filter(isCutOff);
  expect(new Set(lines.map(({ status, code }) => [status, code].join(' ')))).toEqual(
    new Set(['499 client_closed_request']),
  );
  const { cancelled, open } = await model.stop();
  await conch.stop();
  expect({ cancelled, open }).toEqual({ cancelled: readers, open: 0 });
  return { readers, fastPeak, slowPeak, secondsUntilCutOff: seconds };
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

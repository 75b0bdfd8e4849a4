import { spawn } from 'node:child_process';
import { expect } from 'vitest';
import { inRoot } from '../support/environment.ts';
import { startMonitored } from '../support/event-loop.ts';
import { sampleMemory, trendOf } from './memory.ts';
import { linesOf, startTokenServer } from './token-server.ts';

interface Size {
  readonly streams: number;
  readonly seconds: number;
  /** The most that an answer has. */
  readonly tokens: number;
}

interface Clients {
  readonly asked: number;
  readonly whole: number;
  readonly left: number;
  readonly faults: number;
  readonly mostOpen: number;
  /** How some of the faults looked. */
  readonly examples: Readonly<Record<string, number>>;
}

/** Milliseconds between two tokens of a stream. */
const interval = 500;

/** Many streams at once whose clients leave at random: none is lost, no call stays open, and memory does not grow. */
export async function leavingClients({ streams, seconds, tokens }: Size) {
  const model = await startTokenServer(interval);
  const template = ['--chat-template', inRoot('bench/chat-template.jinja')];
  const monitored = await startMonitored(['--triton', `127.0.0.1:${model.port}`, ...template]);
  const { conch } = monitored;
  const { result, delay, p99 } = await monitored.during(async () => {
    const samples = sampleMemory(conch.pid);
    const flags = [
      '--url',
      conch.url,
      '--streams',
      String(streams),
      '--seconds',
      String(seconds),
      '--tokens',
      String(tokens),
    ];
    const client = spawn(process.execPath, [inRoot('test/reliability/disconnecting-client.mjs'), ...flags], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const clients = (await linesOf(client).next()) as Clients;
    return { clients, samples: samples.stop() };
  });
  const { clients, samples } = result;
  // The last to leave may still be on its way to the model: an answered request comes after it.
  await fetch(`${conch.url}/v1/models`);
  const calls = await model.stop();
  await monitored.stop();
  // The first fifth is the start: code is compiled, buffers find their size.
  const settled = samples.filter(({ at }) => at > seconds / 5 && at < seconds);
  const { mean, slope, error } = trendOf(settled);
  expect(clients).toMatchObject({ faults: 0, examples: {}, asked: clients.whole + clients.left });
  expect(calls.open).toBe(0);
  return {
    ...clients,
    cancelled: calls.cancelled,
    tokens: calls.tokens,
    open: calls.open,
    memory: { mean, slope, error, growth: slope * (seconds * 0.8) },
    eventLoop: { p99, max: delay },
  };
}

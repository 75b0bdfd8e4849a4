import type { ChannelOptions as ServerOptions } from '@grpc/grpc-js';
import { expect, it, onTestFinished } from 'vitest';
import { pulled } from '../support/pulled-responses.ts';
import { grpcJsServer } from './grpc-js-server.ts';
import { remoteServer, textsOf, toyRequest } from './remote.ts';

const words = (count: number) => [...Array.from({ length: count }, (_, at) => ` w${at + 1}`), ''];

async function clientOf(channel: ServerOptions) {
  const server = await grpcJsServer({ channel });
  const client = remoteServer(server.port);
  onTestFinished(async () => {
    await client.close();
    server.kill();
  });
  return client;
}

it('a server that takes three calls at a time gets all of them in turn', async () => {
  const client = await clientOf({ 'grpc.max_concurrent_streams': 3 });
  const counts = Array.from({ length: 60 }, (_, at) => at);
  const responses = await Promise.all(counts.map((tokens) => textsOf(pulled(client, toyRequest({ tokens })))));
  expect(responses).toEqual(counts.map(words));
});

it('a server that pings all the time gets its answers: it would end the connection without', async () => {
  const client = await clientOf({ 'grpc.keepalive_time_ms': 10, 'grpc.keepalive_timeout_ms': 700 });
  const request = toyRequest({ tokens: 20, delay_ms: 80 });
  expect(await textsOf(pulled(client, request))).toEqual(words(20));
});

it('a server that says goodbye again and again loses no call', async () => {
  const client = await clientOf({ 'grpc.max_connection_age_ms': 30, 'grpc.max_connection_age_grace_ms': 10_000 });
  const responses: string[][] = [];
  for (let round = 0; round < 10; round++)
    responses.push(
      ...(await Promise.all([1, 5, 9].map((tokens) => textsOf(pulled(client, toyRequest({ tokens, delay_ms: 5 })))))),
    );
  expect(responses).toEqual(Array.from({ length: 10 }, () => [1, 5, 9].map(words)).flat());
});

it('headers that fill several frames are sent', async () => {
  const client = await clientOf({});
  const metadata = { 'x-large': 'large '.repeat(8_000).trim() };
  expect(await client.call('ServerLive', {}, { metadata })).toEqual({ live: true });
});

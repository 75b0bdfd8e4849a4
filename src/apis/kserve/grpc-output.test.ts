import { EventEmitter } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import { expect, it } from 'vitest';
import { GrpcOutput } from './grpc-output.ts';

it('writes more messages at once than a call may have arguments', () => {
  const written: number[] = [];
  const write = (bytes: Uint8Array) => written.push(bytes.length) > 0;
  const stream = Object.assign(new EventEmitter(), { destroyed: false, write });
  const output = new GrpcOutput(stream as unknown as ServerHttp2Stream, {
    slowClientTimeout: 0,
    onFull: () => undefined,
    onWritable: () => undefined,
  });
  const messages = 200_000;
  for (let sent = 0; sent < messages; sent++) output.add(new Uint8Array(1));
  expect(output.writeAll()).toBe(true);
  expect(written).toEqual([messages * 6]);
});

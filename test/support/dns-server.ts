import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** A name server on loopback that knows the names that it is told. */
export interface DnsServer {
  /** Its address, as a resolver wants it. */
  readonly address: string;
  /** The IPv4 and IPv6 addresses of each name. While it is undefined, every question is answered with a failure. */
  names: Readonly<Record<string, readonly string[]>> | undefined;
  /** Questions for addresses of this kind are answered with a failure. */
  failing?: 'A' | 'AAAA' | undefined;
  readonly close: () => Promise<void>;
}

const types: Readonly<Record<number, RegExp>> = { 1: /\./, 28: /:/ };
const numbers = { A: 1, AAAA: 28 };
const failure = 2;
const noSuchName = 3;

export async function startDnsServer(names: DnsServer['names']): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const server: DnsServer = {
    names,
    get address() {
      return `127.0.0.1:${socket.address().port}`;
    },
    close: () => closed(socket),
  };
  socket.on('message', (prompt, { port, address }) => socket.send(responseTo(prompt, server), port, address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return server;
}

async function closed(socket: Socket): Promise<void> {
  socket.close();
  await once(socket, 'close');
}

/** The header and the question again, then one record for each address of the kind that was asked for. */
function responseTo(prompt: Buffer, { names, failing }: DnsServer): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = prompt[at] ?? 0; length > 0; length = prompt[at] ?? 0) {
    labels.push(prompt.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = prompt.readUInt16BE(at + 1);
  const known = names?.[labels.join('.')];
  const isFailing = names === undefined || type === (failing && numbers[failing]);
  const records = (isFailing ? [] : (known ?? []))
    .filter((address) => types[type]?.test(address))
    .map((address) => record(type, address));
  const header = Buffer.from(prompt.subarray(0, 12));
  const code = isFailing ? failure : known === undefined ? noSuchName : 0;
  header.writeUInt16BE(0x8580 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, prompt.subarray(12, at + 5), ...records]);
}

function record(type: number, address: string): Buffer {
  const data = type === 1 ? Buffer.from(address.split('.').map(Number)) : v6Bytes(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function v6Bytes(address: string): Buffer {
  const [before = '', after = ''] = address.split('::');
  const left = before.split(':').filter(Boolean);
  const right = after.split(':').filter(Boolean);
  const groups = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
  return Buffer.from(groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]));
}

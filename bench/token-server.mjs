/**
 * A scripted stand-in for Triton, for measuring alone: it speaks gRPC just enough to be found by a gateway, and streams the tokens of
 * the model `bench` at a fixed pace, for so little CPU time that it is not the limit. Prints its port, ends with its stdin.
 *
 *   node bench/token-server.mjs [--port 0] [--contract vllm|ensemble|tokens] [--interval-ms 10] [--tokens 128] [--response FILE] [--max-seconds 900]
 *
 * With an interval, all answers step together, as in a continuously batching engine: the first token at once, then one
 * at each tick. With 0 each answer goes out as fast as the client's windows allow. A line on stdin with a number is the new interval.
 * With --response, every answer is the tokens of a file, four bytes each, or the first of them where a request asks for fewer.
 */
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { parseArgs } from 'node:util';
import { GrpcConnection } from './token-server/connection.mjs';
import { modelOf } from './token-server/models.mjs';
import { ServedModel } from './token-server/served-model.mjs';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    contract: { type: 'string', default: 'vllm' },
    'interval-ms': { type: 'string', default: process.env['INTERVAL_MS'] ?? '10' },
    tokens: { type: 'string', default: '128' },
    response: { type: 'string' },
    'max-seconds': { type: 'string', default: '900' },
  },
});
let interval = 0;
const response = values.response === undefined ? undefined : readFileSync(values.response);
const model = new ServedModel(modelOf(values.contract), response);
const counts = { requests: 0, tokens: 0, cancelled: 0, blocked: 0 };
/** @type {Set<GrpcConnection>} */
const connections = new Set();
const options = { model, paced: false, defaultTokens: Number(values.tokens), counts };

const server = net.createServer((socket) => {
  const connection = new GrpcConnection(socket, options);
  connections.add(connection);
  socket.on('close', () => connections.delete(connection));
});

let nextTick = 0;
/** @type {NodeJS.Timeout | undefined} */
let timer;
/** A late tick is not made up for: two tokens at once would be cheaper to pass on than two tokens. */
function tick() {
  for (const connection of connections) connection.tick();
  const now = performance.now();
  nextTick = Math.max(nextTick + interval, now);
  timer = setTimeout(tick, nextTick - now);
}

/** @param {number} milliseconds */
function changeInterval(milliseconds) {
  clearTimeout(timer);
  interval = milliseconds;
  options.paced = interval > 0;
  nextTick = performance.now();
  if (options.paced) tick();
}

function stop() {
  const open = [...connections].reduce((sum, connection) => sum + connection.openCalls, 0);
  process.stdout.write(`${JSON.stringify({ ...counts, open })}\n`, () => process.exit(0));
}

server.on('error', ({ message }) => {
  process.stderr.write(`token server: ${message}\n`);
  process.exit(1);
});
server.listen(Number(values.port), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`${JSON.stringify({ port })}\n`);
});
changeInterval(Number(values['interval-ms']));
process.stdin.on('end', stop).on('data', (lines) => changeInterval(Number(String(lines).trim().split('\n').at(-1))));
process.on('SIGINT', stop).on('SIGTERM', stop);
setTimeout(stop, Number(values['max-seconds']) * 1000).unref();

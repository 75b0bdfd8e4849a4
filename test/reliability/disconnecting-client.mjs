/**
 * Keeps many streams open whose clients leave at random, some in the middle, and asks again at once; prints what came of
 * them as a JSON line.
 *
 *   node test/reliability/disconnecting-client.mjs --url http://127.0.0.1:9000 --streams 2000 --seconds 300 --tokens 60 --seed 1
 */
import net from 'node:net';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    model: { type: 'string', default: 'bench' },
    streams: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '3' },
    tokens: { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
  },
});
const { hostname, port, host } = new URL(values.url);
const end = performance.now() + Number(values.seconds) * 1000;
const counts = { asked: 0, whole: 0, left: 0, faults: 0, mostOpen: 0 };
/** @type {Set<net.Socket>} */
const open = new Set();
/** @type {Map<string, number>} */
const errors = new Map();
/** @type {() => void} */
let onAllClosed = () => undefined;

let state = Number(values.seed);
/** A number below one, the same in every run. */
function random() {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

const leavingShare = 0.5;
const mostTokens = Number(values.tokens);
const tokenMilliseconds = 500;

function ask() {
  if (performance.now() > end) {
    if (open.size === 0) onAllClosed();
    return;
  }
  const tokens = 1 + Math.floor(random() * mostTokens);
  const leaves = random() < leavingShare;
  const body = JSON.stringify({
    model: values.model,
    stream: true,
    max_tokens: tokens,
    messages: [{ role: 'user', content: 'Tell me of the sea.' }],
  });
  const socket = net.connect(Number(port), hostname);
  open.add(socket);
  counts.asked++;
  counts.mostOpen = Math.max(counts.mostOpen, open.size);
  let hasDisconnected = false;
  let tail = '';
  socket.setEncoding('latin1').on('data', (text) => {
    tail = (tail + text).slice(-64);
  });
  socket.on('error', (error) => {
    tail = error.message;
  });
  socket.on('close', () => {
    clearTimeout(timer);
    open.delete(socket);
    if (hasDisconnected) counts.left++;
    else if (tail.includes('data: [DONE]')) counts.whole++;
    else {
      counts.faults++;
      errors.set(tail, (errors.get(tail) ?? 0) + 1);
    }
    setImmediate(ask);
  });
  const timer = leaves
    ? setTimeout(
        () => {
          hasDisconnected = true;
          socket.destroy();
        },
        random() * tokens * tokenMilliseconds,
      )
    : undefined;
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

const streams = Number(values.streams);
const allClosed = new Promise((resolve) => {
  onAllClosed = () => resolve(undefined);
});
const rampMilliseconds = Math.min(10_000, Number(values.seconds) * 100);
for (let count = 0; count < streams; count++) setTimeout(ask, (count / streams) * rampMilliseconds);
await allClosed;
process.stdout.write(`${JSON.stringify({ ...counts, examples: Object.fromEntries([...errors].slice(0, 5)) })}\n`);

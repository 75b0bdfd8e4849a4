/** A gateway that somebody else has started, in any language: named by its URL and its process, and looked at before it is measured. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOKEN_BYTES, textAt } from './completion-text.mjs';

/** @typedef {{ name: string, url: string, pid: number }} RunningGateway */

/** Where Triton serves gRPC, and the token server unless another port is named. */
export const DEFAULT_PORT = 8001;

const FORM = /^(?:(?<name>[^=/]+)=)?(?<url>https?:\/\/.+)$/;
const TOKENS = 16;
const PROBES = 50;
/** No gateway passes on sixteen tokens for less. */
const LEAST_MICROSECONDS = 10 * PROBES;
const WAIT_MILLISECONDS = 60_000;
const REQUEST_MILLISECONDS = 10_000;
const MOST_SHOWN = 300;

/**
 * How to put another gateway in front of the token server.
 * @param {number} port
 * @param {string} contract
 */
export function instructions(port, contract) {
  const backend = { vllm: 'the vLLM backend', ensemble: "TensorRT-LLM's ensemble", tokens: "TensorRT-LLM's engine" };
  const name = backend[/** @type {keyof typeof backend} */ (contract)];
  return [
    `The token server listens on 127.0.0.1:${port}: gRPC as Triton speaks it, with the model "bench" in the tensors of ${name} (--contract ${contract}).`,
    'Start your gateway in front of it. It must serve, over plain HTTP and without a key,',
    '  POST /v1/chat/completions {"model": "bench", "messages": […], "max_tokens": N, "stream": true}',
    'and stream the tokens of the model as they come. Then run, in another terminal:',
    `  npm run bench -- --against NAME=http://127.0.0.1:YOUR_PORT YOUR_PID${port === DEFAULT_PORT ? '' : ` --upstream ${port}`}${contract === 'vllm' ? '' : ` --contract ${contract}`}`,
    'YOUR_PID is the process whose CPU time and memory count, with all that it has started.',
  ].join('\n');
}

/** Whether a value of --against is a gateway's URL, and no commit. @param {string} value */
export const isGatewayUrl = (value) => FORM.test(value);

/**
 * @param {string} value [NAME=]URL
 * @param {string | undefined} pid
 * @returns {RunningGateway}
 */
export function parseRunning(value, pid) {
  const { name, url: text = '' } = FORM.exec(value)?.groups ?? {};
  if (!URL.canParse(text)) throw new Error(`--against ${value}: the URL is not valid. Write http://HOST:PORT.`);
  const url = new URL(text);
  if (url.protocol !== 'http:') throw new Error(`--against ${value}: only plain HTTP is supported.`);
  if (!['/', '/v1', '/v1/'].includes(url.pathname))
    throw new Error(
      `--against ${value}: the path is not supported. Write http://HOST:PORT; requests go to /v1/chat/completions.`,
    );
  if (pid === undefined) throw new Error(`--against ${value} needs the process ID of the gateway behind the URL.`);
  if (!/^[1-9]\d*$/.test(pid)) throw new Error(`--against ${value}: "${pid}" is not a process ID.`);
  return { name: name ?? url.host, url: url.origin, pid: Number(pid) };
}

/**
 * What is wrong with a stream of events; undefined if it is the text of the token server.
 * @param {string} stream
 * @returns {string | undefined}
 */
export function streamProblem(stream) {
  const events = stream
    .split(/\r?\n/)
    .flatMap((line) => (/^data: ?\{/.test(line) ? [line.replace(/^data: ?/, '')] : []));
  const text = events.map((event) => JSON.parse(event).choices?.[0]?.delta?.content ?? '').join('');
  const expected = textAt(0, TOKENS * TOKEN_BYTES);
  if (text === '') return `it streamed no token. It sent: ${JSON.stringify(stream.slice(0, MOST_SHOWN))}`;
  if (text !== expected)
    return `it streamed ${JSON.stringify(text.slice(0, MOST_SHOWN))} where the token server sends ${JSON.stringify(expected)}. Is it in front of the token server of this benchmark?`;
  return undefined;
}

/** @param {string} url */
async function ask(url) {
  const body = { model: 'bench', messages: [{ role: 'user', content: 'Hello.' }], max_tokens: TOKENS, stream: true };
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(REQUEST_MILLISECONDS),
  });
  const text = await response.text();
  if (response.status !== 200)
    return `it responded to POST /v1/chat/completions with HTTP ${response.status}: ${text.slice(0, MOST_SHOWN)}`;
  return streamProblem(text);
}

/** @param {unknown} error */
function reasonOf(error) {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

/**
 * Waits until it streams what the token server sends.
 * @param {RunningGateway} gateway
 * @param {{ say: (line: string) => void, milliseconds?: number }} options
 */
export async function untilStreaming({ name, url }, { say, milliseconds = WAIT_MILLISECONDS }) {
  const deadline = performance.now() + milliseconds;
  const problemNow = () => ask(url).catch((error) => `it cannot be reached: ${reasonOf(error)}`);
  let problem = await problemNow();
  if (problem !== undefined) say(`Waiting for ${name} (${url}): ${problem}`);
  while (problem !== undefined) {
    if (performance.now() > deadline) throw new Error(`--against ${url}: ${problem}`);
    await sleep(500);
    problem = await problemNow();
  }
}

/**
 * Looks whether the process is there, and whether it is that of the URL: one that uses next to no CPU time for requests is another.
 * @param {RunningGateway} gateway
 * @param {{ usageOf: (pid: number) => { cpuMicroseconds: number } | undefined, processTree: (pid: number) => number[] }} proc
 * @param {(line: string) => void} say
 */
export async function checkRunning(gateway, { usageOf, processTree }, say) {
  const { url, pid } = gateway;
  const named = `--against ${url} ${pid}`;
  if (usageOf(pid) === undefined) throw new Error(`${named}: there is no process ${pid}.`);
  if (processTree(pid).includes(process.pid))
    throw new Error(
      `${named}: process ${pid} has started this benchmark, whose CPU time would count too. Pass the gateway's own.`,
    );
  await untilStreaming(gateway, { say });
  const before = usageOf(pid)?.cpuMicroseconds ?? 0;
  for (let count = 0; count < PROBES; count++) await ask(url);
  const after = usageOf(pid);
  if (after === undefined) throw new Error(`${named}: process ${pid} has ended.`);
  const used = after.cpuMicroseconds - before;
  if (used >= LEAST_MICROSECONDS) return;
  const command = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  throw new Error(
    `${named}: process ${pid} (${command}) used ${used.toFixed(0)} µs of CPU time for ${PROBES} requests, so it is not the gateway's.`,
  );
}

/**
 * Streams answers from a server, so many at a time, checks that each is complete, and reports as a JSON line what came and what it cost the
 * watched processes. Every lane asks again as soon as its answer has ended. The measured window opens after the warm-up,
 * in which the lanes start one by one; after it the open answers are let end.
 *
 *   node bench/load-client.mjs --url http://127.0.0.1:9000 [--streams 256] [--tokens 128] [--seconds 5]
 *     [--warmup-seconds 2] [--drain-seconds 30] [--requests N] [--model bench] [--watch gateway=PID]... [--check-text]
 *     [--prompt TEXT | --prompt-file FILE] [--api-key KEY] [--choices N] [--tool] [--stagger] [--unstreamed]
 *     [--extra JSON] [--by-text]
 *
 * An URL grpc://127.0.0.1:8001 asks Triton itself, in the words of --contract vllm, ensemble or tokens. With --requests the window closes after that many answers. With --drain-seconds 0 the
 * client leaves at the end of the window, in the middle of its answers. A watched process counts with all that it has started.
 * --tool asks for a call of a function with long arguments. With --stagger the first answers are of all lengths, so that answers end evenly
 * from then on, and the window opens when all streams have begun. --extra has further fields of the request body. With --by-text tokens are counted by
 * their text, however many are in an event, and any finish reason will do.
 */
import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { harness } from './harness.mjs';
import { grpcLanes } from './load/grpc-lanes.mjs';
import { openAiLanes } from './load/openai-lanes.mjs';

const MOST_BEGIN_MILLISECONDS = 60_000;
const SETTLE_MILLISECONDS = 1000;

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    model: { type: 'string', default: 'bench' },
    contract: { type: 'string', default: 'vllm' },
    prompt: { type: 'string', default: 'Tell me how the sea got into the shell, and leave nothing out.' },
    'prompt-file': { type: 'string' },
    'api-key': { type: 'string' },
    choices: { type: 'string', default: '1' },
    tool: { type: 'boolean', default: false },
    stagger: { type: 'boolean', default: false },
    unstreamed: { type: 'boolean', default: false },
    extra: { type: 'string', default: '{}' },
    'by-text': { type: 'boolean', default: false },
    streams: { type: 'string', default: '256' },
    tokens: { type: 'string', default: '128' },
    seconds: { type: 'string', default: '5' },
    'warmup-seconds': { type: 'string', default: '2' },
    'drain-seconds': { type: 'string', default: '30' },
    requests: { type: 'string', default: 'Infinity' },
    watch: { type: 'string', multiple: true, default: [] },
    'check-text': { type: 'boolean', default: false },
  },
});
if (values.url === undefined) throw new Error('--url is missing');
const url = new URL(values.url);
const streams = Number(values.streams);
const tokensPerResponse = Number(values.tokens);
const warmup = Number(values['warmup-seconds']) * 1000;
const mostDrain = Number(values['drain-seconds']) * 1000;
const watched = [
  ...values.watch.map((pair) => ({ name: pair.slice(0, pair.indexOf('=')), pid: Number(pair.split('=').at(-1)) })),
  { name: 'client', pid: process.pid },
];

/** Milliseconds by which a window is prolonged at most. */
const MOST_EXTENSION = 5000;

/** All that is counted; the window is the difference of two of them. */
const total = { tokens: 0, requests: 0, reads: 0, events: 0 };
/** @type {number[]} milliseconds, of the answers that began in the window */
const firstToken = [];
/** @type {Map<string, number>} */
const errors = new Map();
const stopping = new AbortController();
// Every lane may wait for it.
setMaxListeners(0, stopping.signal);
let windowOpen = false;
let openResponses = 0;
/** @type {() => void} */
let onAllStarted = () => {};
let lanesToBegin = streams;
/** @type {() => void} */
let onEnoughRequests = () => {};
let requestsToMeasure = Number.POSITIVE_INFINITY;

/**
 * One answer, and what is counted of it.
 * @param {number} lane
 * @param {boolean} begins whether it is the first answer of its lane
 */
async function ask(lane, begins) {
  const tokens = begins && values.stagger ? Math.ceil(((lane + 1) / streams) * tokensPerResponse) : tokensPerResponse;
  const requestedAt = performance.now();
  const measured = windowOpen;
  let waiting = true;
  openResponses++;
  const error = await lanes.ask(lane, tokens, (count, events) => {
    total.tokens += count;
    total.reads++;
    total.events += events;
    if (!waiting) return;
    waiting = false;
    if (begins && --lanesToBegin === 0) onAllStarted();
    if (measured) firstToken.push(performance.now() - requestedAt);
  });
  openResponses--;
  total.requests++;
  if (windowOpen && --requestsToMeasure <= 0) onEnoughRequests();
  return { error };
}

/** @param {{ name: string | undefined, pid: number }} process */
function watchedUsage({ name, pid }) {
  const found = harness.usageOf(pid);
  if (found !== undefined) return found;
  process.stderr.write(`load client: process ${pid} (${name}) has ended\n`);
  process.exit(1);
}

function snapshot() {
  return { ...total, at: performance.now(), cpu: watched.map((each) => watchedUsage(each).cpuMicroseconds) };
}

/** @param {number} milliseconds */
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** @param {number} share */
function percentile(share) {
  const sorted = firstToken.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}

/** @returns {Promise<[ReturnType<typeof snapshot>, ReturnType<typeof snapshot>]>} */
async function measure() {
  windowOpen = true;
  requestsToMeasure = Number(values.requests);
  const before = snapshot();
  const enough = new Promise((resolve) => {
    onEnoughRequests = () => resolve(undefined);
  });
  await Promise.race([sleep(Number(values.seconds) * 1000), enough]);
  // On a machine that is busy with other things, a short window may have seen nothing yet.
  const latest = performance.now() + MOST_EXTENSION;
  while (total.tokens - before.tokens < streams && performance.now() < latest) await sleep(50);
  const after = snapshot();
  windowOpen = false;
  return [before, after];
}

/** All streams have begun, and what that took is over. */
async function allStarted() {
  const started = new Promise((resolve) => {
    onAllStarted = () => resolve(true);
  });
  const isStarted = await Promise.race([started, sleep(MOST_BEGIN_MILLISECONDS)]);
  if (isStarted === undefined) errors.set('a stream had not begun in time', lanesToBegin);
  await sleep(SETTLE_MILLISECONDS);
}

async function drain() {
  stopping.abort();
  if (mostDrain === 0) return;
  await Promise.race([load, sleep(mostDrain)]);
  if (openResponses > 0) errors.set('a response did not end in time', openResponses);
}

// A wrong process number is found before any load is made.
snapshot();
const prompt = values['prompt-file'] === undefined ? values.prompt : readFileSync(values['prompt-file'], 'utf8');
const { model, contract, 'check-text': checkText, 'by-text': byText, 'api-key': apiKey, tool, unstreamed } = values;
const [choices, extra] = [Number(values.choices), JSON.parse(values.extra)];
const options = { url, model, contract, prompt, checkText, byText, apiKey, tool, unstreamed, choices, extra };
const lanes = (url.protocol === 'grpc:' ? grpcLanes : openAiLanes)(options);
const load = harness.generateLoad({
  task: {
    pace: { kind: 'concurrency', concurrency: streams },
    extent: { milliseconds: Number.POSITIVE_INFINITY },
    worker: 0,
    workers: 1,
  },
  ramp: warmup * 0.6,
  send: (_, { lane, isFirst }) => ask(lane, isFirst),
  onOutcome: ({ error }) => {
    if (error !== undefined) errors.set(error, (errors.get(error) ?? 0) + 1);
  },
  stop: stopping.signal,
});
await Promise.all([sleep(warmup), values.stagger ? allStarted() : undefined]);
const [before, after] = await measure();
const memory = watched.map(watchedUsage);
await drain();
lanes.close();

const seconds = (after.at - before.at) / 1000;
const tokens = after.tokens - before.tokens;
const requests = after.requests - before.requests;
const used = watched.map((_, index) => (after.cpu[index] ?? 0) - (before.cpu[index] ?? 0));
const report = {
  seconds,
  tokens,
  requests,
  tokensPerSecond: tokens / seconds,
  requestsPerSecond: requests / seconds,
  tokensPerRead: tokens / (after.reads - before.reads),
  tokensPerEvent: tokens / (after.events - before.events),
  firstTokenMilliseconds: {
    p50: percentile(0.5),
    p90: percentile(0.9),
    p99: percentile(0.99),
    count: firstToken.length,
  },
  processes: Object.fromEntries(
    used.map((microseconds, index) => [
      watched[index]?.name,
      {
        cpuShare: microseconds / 1e6 / seconds,
        microsecondsPerToken: microseconds / tokens,
        microsecondsPerRequest: microseconds / requests,
        memory: { resident: memory[index]?.residentMegabytes, peak: memory[index]?.peakMegabytes },
      },
    ]),
  ),
  allRequests: total.requests,
  errors: Object.fromEntries(errors),
};
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(errors.size > 0 ? 1 : 0));

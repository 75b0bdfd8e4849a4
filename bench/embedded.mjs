/**
 * The embedded engine beside node-llama-cpp called directly: tokens per second in all and memory, at one and at four streams, the same
 * model, threads and context. Each measurement has a fresh process; the two take turns within each round.
 *
 *   node bench/embedded.mjs [--streams 1,4] [--tokens 128] [--seconds 6] [--rounds 3] [--threads N] [--model FILE.gguf] [--dist FOLDER] [--json]
 *
 * The engine and the default model are fetched into the cache (CONCH_CACHE) on first use. Progress goes to stderr, the table to stdout.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, homedir, loadavg } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from './report.mjs';

const SELF = fileURLToPath(import.meta.url);
const CONTEXT = 1024;
const PROMPTS = ['a fox', 'a ship', 'the moon', 'a castle', 'a storm', 'an old clock', 'the sea', 'a train'];

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '1,4' },
    tokens: { type: 'string', default: '128' },
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '3' },
    threads: { type: 'string', default: String(Math.max(1, availableParallelism() - 1)) },
    model: { type: 'string' },
    dist: { type: 'string', default: fileURLToPath(new URL('../dist', import.meta.url)) },
    run: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const tokens = Number(values.tokens);
const threads = Number(values.threads);
const cacheDir =
  process.env['CONCH_CACHE'] || path.join(process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'conch');

/**
 * A module of the build.
 * @param {string} name
 */
const built = (name) => import(pathToFileURL(path.join(values.dist, 'servers', 'embedded', name)).href);

/** @param {number} stream @param {number} round */
const prompt = (stream, round) =>
  `<|im_start|>user\nTell me a long story about ${PROMPTS[stream % PROMPTS.length]}, part ${round}.<|im_end|>\n<|im_start|>assistant\n`;

/**
 * Lets every stream answer one question after the other, first to warm up and then for the time of the measurement.
 * @param {number} streams
 * @param {(stream: number, text: string, count: (tokens: number) => void) => Promise<void>} respond
 */
async function measure(streams, respond) {
  let counted = 0;
  let round = 0;
  const run = async (/** @type {number} */ stream, /** @type {number} */ until) => {
    while (performance.now() < until) await respond(stream, prompt(stream, round++), (made) => (counted += made));
  };
  const all = (/** @type {number} */ seconds) => {
    const until = performance.now() + seconds * 1000;
    return Promise.all(Array.from({ length: streams }, (_, stream) => run(stream, until)));
  };
  await all(1);
  counted = 0;
  const started = performance.now();
  await all(Number(values.seconds));
  const seconds = (performance.now() - started) / 1000;
  return { tokensPerSecond: counted / seconds, megabytes: process.memoryUsage().rss / 1e6 };
}

/** @param {number} streams @param {string} file */
async function measureDirect(streams, file) {
  const { module } = await (await built('install/install-engine.js')).loadEngine({ cacheDir });
  const llama = await module.getLlama({
    gpu: false,
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    maxThreads: 0,
  });
  const model = await llama.loadModel({ modelPath: file });
  const context = await model.createContext({ sequences: streams, contextSize: CONTEXT, threads, batchSize: 512 });
  const sequences = Array.from({ length: streams }, () => context.getSequence());
  return measure(streams, async (stream, text, count) => {
    const sequence = sequences[stream];
    await sequence.clearHistory();
    let made = 0;
    for await (const _ of sequence.evaluate(model.tokenize(text, true), { temperature: 0, yieldEogToken: true })) {
      made += 1;
      count(1);
      if (made === tokens) break;
    }
  });
}

/** @param {number} streams @param {string} file */
async function measureConch(streams, file) {
  const { EmbeddedServer } = await built('embedded-server.js');
  const { loadEngine } = await built('install/install-engine.js');
  const { textTensor, boolTensor } = await import(pathToFileURL(path.join(values.dist, 'kserve', 'tensors.js')).href);
  const server = new EmbeddedServer({
    models: [{ name: 'bench', file, contextLength: CONTEXT, sequences: streams, threads }],
    engine: { load: () => loadEngine({ cacheDir }) },
    version: '0.0.0',
  });
  const [failure] = await server.loadAll();
  if (failure) throw failure.error;
  const sampling = JSON.stringify({ max_tokens: tokens, temperature: 0, ignore_eos: true });
  return measure(streams, async (stream, text, count) => {
    const inputs = [
      textTensor('text_input', [text]),
      boolTensor('stream', true),
      textTensor('sampling_parameters', [sampling]),
      ...['finish_reason', 'num_input_tokens', 'num_output_tokens'].map((name) => boolTensor(`return_${name}`, true)),
    ];
    for await (const batch of server.stream({ model: 'bench', id: String(stream), inputs })) count(batch.length);
  });
}

/**
 * One measurement in a process of its own.
 * @param {'direct' | 'conch'} kind
 * @param {number} streams
 * @param {string} file
 * @returns {Promise<{ tokensPerSecond: number, megabytes: number }>}
 */
async function measureApart(kind, streams, file) {
  const flags = ['--run', kind, '--streams', String(streams), '--model', file, '--tokens', values.tokens];
  const more = ['--seconds', values.seconds, '--threads', values.threads, '--dist', values.dist];
  const child = spawn(process.execPath, [SELF, ...flags, ...more], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`The measurement of ${kind} failed.`);
  return JSON.parse(output);
}

async function main() {
  const endpoint = process.env['HF_ENDPOINT'] || 'https://huggingface.co';
  const file =
    values.model ??
    (await (await built('install/default-model.js')).fetchDefaultModel({ cacheDir, hub: { endpoint } }));
  if (values.run !== undefined) {
    const result = await (values.run === 'direct' ? measureDirect : measureConch)(Number(values.streams), file);
    process.stdout.write(JSON.stringify(result), () => process.exit(0));
    return;
  }
  await (await built('install/install-engine.js')).installEngine({ cacheDir });
  const rows = [];
  for (const streams of values.streams.split(',').map(Number)) {
    /** @type {Record<'direct' | 'conch', { tokensPerSecond: number, megabytes: number }[]>} */
    const results = { direct: [], conch: [] };
    for (let round = 0; round < Number(values.rounds); round++)
      for (const kind of /** @type {const} */ (['direct', 'conch'])) {
        const result = await measureApart(kind, streams, file);
        results[kind].push(result);
        process.stderr.write(
          `${streams} streams, ${kind}: ${result.tokensPerSecond.toFixed(1)} tokens/s (load ${loadavg()[0]?.toFixed(1)})\n`,
        );
      }
    const rate = (/** @type {'direct' | 'conch'} */ kind) =>
      median(results[kind].map(({ tokensPerSecond }) => tokensPerSecond));
    const memory = (/** @type {'direct' | 'conch'} */ kind) =>
      Math.max(...results[kind].map(({ megabytes }) => megabytes));
    rows.push({
      streams,
      direct: rate('direct'),
      conch: rate('conch'),
      share: rate('conch') / rate('direct'),
      directMB: memory('direct'),
      conchMB: memory('conch'),
    });
  }
  process.stdout.write(values.json ? `${JSON.stringify(rows)}\n` : table(rows));
}

/** @param {{ streams: number, direct: number, conch: number, share: number, directMB: number, conchMB: number }[]} rows */
function table(rows) {
  const head = `${threads} thread(s), ${tokens} tokens per answer\n| streams | direct tokens/s | conch tokens/s | conch / direct | direct RSS MB | conch RSS MB |\n| --- | --- | --- | --- | --- | --- |\n`;
  const line = (/** @type {typeof rows[number]} */ { streams, direct, conch, share, directMB, conchMB }) =>
    `| ${streams} | ${direct.toFixed(1)} | ${conch.toFixed(1)} | ${(100 * share).toFixed(0)} % | ${directMB.toFixed(0)} | ${conchMB.toFixed(0)} |\n`;
  return head + rows.map(line).join('');
}

await main();

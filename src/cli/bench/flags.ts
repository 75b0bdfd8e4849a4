import { z } from 'zod';
import type { Command } from '../../config/command.ts';
import { setting } from '../../config/setting.ts';
import { duration, text } from '../../config/value-types.ts';
import { clientFlags, requestField, urlFlag } from '../client-flags.ts';

const file = { path: 'file' } as const;
const count = z.number().int().min(1);

const lengthsMessage = 'must be a number of tokens, or MEAN,DEVIATION';

/** `550` or `550,50`. */
const lengths = z.string().transform((written, context) => {
  const [, mean = '0', deviation = '0'] = /^(\d+)(?:,(\d+(?:\.\d+)?))?$/.exec(written.trim()) ?? [];
  if (Number(mean) < 1) context.addIssue(lengthsMessage);
  return { mean: Number(mean), deviation: Number(deviation) };
});

/** Numbers, separated by commas. */
function numbers(message: string, isRight: (value: number) => boolean) {
  return z.string().transform((written, context) => {
    const values = written.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
    if (!values.every(isRight)) context.addIssue(message);
    return [...new Set(values)];
  });
}

const levels = numbers(
  'must be whole numbers above 0, separated by commas',
  (value) => Number.isInteger(value) && value > 0,
);
const rates = numbers('must be numbers above 0, separated by commas', (value) => Number.isFinite(value) && value > 0);

/** `pid` or `name=pid`. */
const watched = z.string().transform((written, context) => {
  const [, name, pid = ''] = /^(?:([^=]+)=)?(\d+)$/.exec(written) ?? [];
  if (pid === '') context.addIssue('must be PID or NAME=PID');
  return { name: name ?? 'process', pid: Number(pid) };
});

const flags = {
  url: urlFlag('http://localhost:9000', 'Measure this server, with or without /v1 in its URL.'),
  model: setting(text.optional(), 'Measure this model.', {
    placeholder: 'NAME',
    defaultText: "the server's first model",
  }),
  apiKey: clientFlags.apiKey,
  header: clientFlags.header,
  endpoint: setting(z.enum(['chat', 'completions', 'embeddings']).default('chat'), 'Measure this endpoint.'),
  streaming: setting(z.boolean().optional(), 'Request streamed responses. --no-streaming requests whole responses.', {
    defaultText: 'on, except for embeddings',
  }),
  concurrency: setting(
    levels.optional(),
    'Set how many requests are open at the same time. Several numbers are measured in turn.',
    { placeholder: 'N,…', defaultText: '1' },
  ),
  rate: setting(
    rates.optional(),
    'Start this many requests per second, however many are open. Replaces --concurrency.',
    { placeholder: 'N,…' },
  ),
  arrival: setting(z.enum(['poisson', 'constant']).default('poisson'), 'Set how the requests of --rate arrive.'),
  requests: setting(count.optional(), 'Measure this many requests at each level.'),
  duration: setting(duration({ minimum: 1 }).optional(), 'Start new requests for this long. Replaces --requests.', {
    defaultText: '10s',
  }),
  gracePeriod: setting(
    duration({ minimum: 1 }).prefault('30s'),
    'Let open requests continue for this long after --duration. Those that are cut off then are counted.',
  ),
  warmup: setting(z.number().int().min(0).optional(), 'Send this many requests first without measuring them.', {
    defaultText: 'the number of open requests, at least 10',
  }),
  inputTokens: setting(
    lengths.prefault('550'),
    'Set the length of the prompts in tokens: the mean, and the deviation after a comma.',
    { placeholder: 'MEAN[,DEVIATION]', defaultText: '550' },
  ),
  outputTokens: setting(
    lengths.prefault('128'),
    'Set the token limit of the responses: the mean, and the deviation after a comma. A response ends earlier if the model ends it.',
    { placeholder: 'MEAN[,DEVIATION]', defaultText: '128' },
  ),
  ignoreEos: setting(
    z.boolean().default(false),
    'Continue responses up to the token limit. This sends ignore_eos and min_tokens, which not every server supports.',
  ),
  limitField: setting(
    z.enum(['max_tokens', 'max_completion_tokens']).default('max_tokens'),
    'Send the token limit in this request field.',
  ),
  extra: setting(z.array(requestField).default([]), 'Set a field of every request. The value may be JSON.', {
    placeholder: 'NAME=VALUE',
  }),
  distinctPrompts: setting(count.default(100), 'Use this many different prompts in turn.'),
  promptFile: setting(
    text.optional(),
    'Read prompts from this file, one per line: plain, or JSON with a field text.',
    file,
  ),
  seed: setting(
    z.number().int().min(0).default(1),
    'Set the seed. The same seed gives the same prompts, lengths and arrivals.',
  ),
  tokenizer: setting(
    text.optional(),
    'Count tokens with this tokenizer: a folder, or a name on the Hugging Face hub.',
    {
      placeholder: 'FOLDER|NAME',
      path: 'folder-or-name',
      defaultText: "the server's /tokenize if it has one, else its usage",
    },
  ),
  serverTokenCount: setting(z.boolean().default(false), "Always take the token counts from the server's usage."),
  timeout: setting(duration({ minimum: 1 }).prefault('10m'), 'Limit the time of one request.'),
  workers: setting(count.max(64).optional(), 'Generate the load with this many processes.', {
    defaultText: 'one per 64 concurrent requests, at most one per CPU',
  }),
  pid: setting(z.array(watched).default([]), 'Also measure the CPU time and memory of this process. Linux only.', {
    placeholder: '[NAME=]PID',
  }),
  ca: clientFlags.ca,
  insecure: clientFlags.insecure,
  json: setting(text.optional(), 'Write the report to this file as JSON, also for --compare.', file),
  csv: setting(text.optional(), 'Write the metrics to this file as CSV.', file),
  html: setting(text.optional(), 'Write the report with plots to this file as one HTML page.', file),
  compare: setting(z.array(z.tuple([text, text])).default([]), 'Compare two reports of --json instead of measuring.', {
    placeholder: ['A.json', 'B.json'],
  }),
};

/** How `conch bench` is written. */
export const benchDefinition: Command<typeof flags> = {
  name: 'bench',
  summary: 'Measure any OpenAI server: latency, throughput and cost',
  groups: [],
  flags,
  exitCodes: { 1: 'Requests failed, or nothing could be measured.', 130: 'Interrupted.' },
  examples: [
    'conch bench --url http://gpu-1:9000 --concurrency 1,32 --tokenizer ./llama3',
    'conch bench --input-tokens 550,50 --ignore-eos --html report.html',
    'conch bench --rate 5,10 --duration 30s --json before.json --pid conch=4711',
    'conch bench --compare before.json after.json',
  ],
};

/** The values of its flags. */
export type BenchFlags = { readonly [K in keyof typeof flags]: z.output<(typeof flags)[K]['schema']> };

import { z } from 'zod';
import type { Command } from '../../config/command.ts';
import { setting } from '../../config/setting.ts';
import { duration, text } from '../../config/value-types.ts';
import { clientFlags, requestField, urlFlag } from '../client-flags.ts';

const file = { path: 'file' } as const;
const count = z.number().int().min(1);

const lengthsWanted = 'must be a number of tokens, or two with a comma between them: the mean and the deviation';

/** `550` or `550,50`. */
const lengths = z.string().transform((written, context) => {
  const [, mean = '0', deviation = '0'] = /^(\d+)(?:,(\d+(?:\.\d+)?))?$/.exec(written.trim()) ?? [];
  if (Number(mean) < 1) context.addIssue(lengthsWanted);
  return { mean: Number(mean), deviation: Number(deviation) };
});

/** Numbers with commas between them. */
function numbers(wanted: string, isRight: (value: number) => boolean) {
  return z.string().transform((written, context) => {
    const values = written.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
    if (!values.every(isRight)) context.addIssue(wanted);
    return [...new Set(values)];
  });
}

const levels = numbers(
  'must be whole numbers from 1 on, with commas between them: 1,32,256',
  (value) => Number.isInteger(value) && value > 0,
);
const rates = numbers(
  'must be numbers above 0, with commas between them: 0.5,10',
  (value) => Number.isFinite(value) && value > 0,
);

/** `pid` or `name=pid`. */
const watched = z.string().transform((written, context) => {
  const [, name, pid = ''] = /^(?:([^=]+)=)?(\d+)$/.exec(written) ?? [];
  if (pid === '') context.addIssue('must be the number of a process, or name=number');
  return { name: name ?? 'process', pid: Number(pid) };
});

const flags = {
  url: urlFlag('http://localhost:9000', 'Server to measure, with or without /v1.'),
  model: setting(text.optional(), 'Model to ask.', { placeholder: 'NAME', defaultText: 'the first one of the server' }),
  apiKey: clientFlags.apiKey,
  header: clientFlags.header,
  endpoint: setting(z.enum(['chat', 'completions', 'embeddings']).default('chat'), 'What is asked for.'),
  streaming: setting(z.boolean().optional(), 'Ask for streams; --no-streaming asks for whole answers.', {
    defaultText: 'yes, but not for embeddings',
  }),
  concurrency: setting(levels.optional(), 'Requests that are open at a time; several numbers are measured in turn.', {
    placeholder: 'N,…',
    defaultText: '1',
  }),
  rate: setting(rates.optional(), 'Requests begun in a second, however many are open; in place of --concurrency.', {
    placeholder: 'N,…',
  }),
  arrival: setting(z.enum(['poisson', 'constant']).default('poisson'), 'How the requests of a rate come.'),
  requests: setting(count.optional(), 'Requests to measure at each level.'),
  duration: setting(duration({ minimum: 1 }).optional(), 'In place of --requests: how long new ones are begun.', {
    defaultText: '10s',
  }),
  gracePeriod: setting(
    duration({ minimum: 1 }).prefault('30s'),
    'How long open requests may go on after --duration; those that are cut off then are counted.',
  ),
  warmup: setting(z.number().int().min(0).optional(), 'Requests before them that are not measured.', {
    defaultText: 'as many as are open at a time, at least 10',
  }),
  inputTokens: setting(lengths.prefault('550'), 'Length of the prompts in tokens: mean, and deviation after a comma.', {
    placeholder: 'MEAN[,DEVIATION]',
    defaultText: '550',
  }),
  outputTokens: setting(
    lengths.prefault('128'),
    'Longest answers in tokens, in the same way. They end earlier where the model does.',
    { placeholder: 'MEAN[,DEVIATION]', defaultText: '128' },
  ),
  ignoreEos: setting(
    z.boolean().default(false),
    'Have answers go on to that length: ignore_eos and min_tokens, which not every server knows.',
  ),
  limitField: setting(
    z.enum(['max_tokens', 'max_completion_tokens']).default('max_tokens'),
    'Field that bounds the answers.',
  ),
  extra: setting(z.array(requestField).default([]), 'Field for every request; the value may be JSON.', {
    placeholder: 'NAME=VALUE',
  }),
  distinctPrompts: setting(count.default(100), 'Different prompts, which are taken in turn.'),
  promptFile: setting(text.optional(), 'Prompts of your own: a line each, plain or as JSON with a field text.', file),
  seed: setting(z.number().int().min(0).default(1), 'The same seed makes the same prompts, lengths and arrivals.'),
  tokenizer: setting(text.optional(), 'Tokenizer that counts: a folder, or a name on the Hugging Face hub.', {
    placeholder: 'FOLDER|NAME',
    path: 'folder-or-name',
    defaultText: "/tokenize of the server where it has that, else the server's usage",
  }),
  serverTokenCount: setting(
    z.boolean().default(false),
    "Take the server's usage for the lengths, whoever could count.",
  ),
  timeout: setting(duration({ minimum: 1 }).prefault('10m'), 'How long one request may take.'),
  workers: setting(count.max(64).optional(), 'Processes that make the load.', {
    defaultText: 'one for 64 concurrent requests, at most one per CPU',
  }),
  pid: setting(z.array(watched).default([]), 'Process whose CPU time and memory are measured along. Linux alone.', {
    placeholder: '[NAME=]PID',
  }),
  ca: clientFlags.ca,
  insecure: clientFlags.insecure,
  json: setting(text.optional(), 'Write the report as JSON, for --compare too.', file),
  csv: setting(text.optional(), 'Write the metrics as CSV.', file),
  html: setting(text.optional(), 'Write the report with plots as one HTML page.', file),
  compare: setting(z.array(z.tuple([text, text])).default([]), 'Measure nothing: compare two reports of --json.', {
    placeholder: ['A.json', 'B.json'],
  }),
};

/** How `conch bench` is written. */
export const benchDefinition: Command<typeof flags> = {
  name: 'bench',
  summary: 'Measure any OpenAI server: latencies, throughput, and what they cost',
  groups: [],
  flags,
  exitCodes: { 1: 'Requests failed, or nothing could be measured.', 130: 'It was interrupted.' },
  examples: [
    'conch bench --url http://localhost:9000 --concurrency 1,32,256 --tokenizer ./llama3',
    'conch bench --input-tokens 550,50 --output-tokens 128 --ignore-eos --html report.html',
    'conch bench --rate 5,10 --duration 30s --json before.json --pid conch=4711',
    'conch bench --compare before.json after.json',
  ],
};

/** The values of its flags. */
export type BenchFlags = { readonly [K in keyof typeof flags]: z.output<(typeof flags)[K]['schema']> };

import { z } from 'zod';
import { inGroup, setting } from './setting.ts';
import { byteSize, duration, text } from './value-types.ts';

const wanted = 'must be an origin such as https://app.example.com, without a path, or * for all';

const origins = z.string({ error: wanted }).transform((written, context) =>
  written.split(',').map((part) => {
    const origin = part.trim();
    if (origin === '*' || (isWebAddress(origin) && new URL(origin).origin === origin.toLowerCase()))
      return origin.toLowerCase();
    context.addIssue(wanted);
    return origin;
  }),
);

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^*]+$/i.test(text) && URL.canParse(text);
}

/** Origins of web pages; a text may hold several, with commas between them, and `*` stands alone. */
export const allowedOrigins = z.array(origins).transform((items, context) => {
  const all = items.flat();
  if (all.length > 1 && all.includes('*')) context.addIssue('must have * alone, which stands for all origins');
  return all;
});

const count = (most: number) => z.number().int().min(1).max(most);
const largestHead = 2 ** 20;

/** Settings of how much a request may bring, which pages may send it, and how the connection is kept secret. */
export const limitSettings = {
  ...inGroup('limits', {
    httpMaxHeaders: setting(count(2_000).default(128), 'Most headers of a request.'),
    httpMaxHeaderSize: setting(
      byteSize({ maximum: largestHead }).prefault('32KiB'),
      'Most bytes of the path and headers of a request together.',
    ),
    maxJsonDepth: setting(count(1_000).default(128), 'How deep lists and objects of a body may stand in each other.', {
      live: true,
    }),
    maxJsonValues: setting(
      count(100_000_000).default(2 ** 20),
      'Most values of a body: entries of its lists and objects, and these themselves.',
      { live: true },
    ),
    maxMessages: setting(
      count(100_000).default(10_000),
      'Most messages of a conversation, or items of a response, in one request.',
      { live: true },
    ),
    maxTools: setting(count(1_024).default(1_024), 'Most tools of a request.', { live: true }),
    maxStopStrings: setting(count(1_024).default(16), 'Most stop texts of a request.', { live: true }),
    maxChoices: setting(count(131_072).default(1_024), 'Most answers of a request: n or best_of, times its prompts.', {
      live: true,
    }),
    maxPromptSize: setting(
      byteSize({ maximum: 2 ** 30 }).prefault('6MiB'),
      'Most bytes of a text that is turned into tokens: a prompt, an input, or a query with its document.',
      { live: true },
    ),
    tokenCacheSize: setting(
      byteSize({ minimum: 0, maximum: 2 ** 30 }).prefault('64MiB'),
      'Memory of each worker for tokens of earlier prompts: of a conversation that grows, only what is new is tokenized. 0 turns the cache off.',
      { live: true },
    ),
    guideQuarantine: setting(
      duration({ minimum: 0 }).prefault('10m'),
      'How long to refuse a structured-output guide (JSON schema, regex, choices, grammar) after an engine failure followed it. 0 turns the quarantine and the suspension of clients off.',
      { live: true },
    ),
  }),
  ...inGroup('api', {
    allowedOrigins: setting(
      allowedOrigins.prefault([]),
      'Origin of web pages that may call the OpenAI API from a browser, such as https://app.example.com; * for all.',
      { placeholder: 'ORIGIN[,ORIGIN]', defaultText: 'none' },
    ),
    tlsCert: setting(
      text.optional(),
      'PEM file of the certificate that Conch shows on its ports, which then speak TLS alone; read again when it changes.',
      { path: 'file' },
    ),
    tlsKey: setting(text.optional(), 'PEM file of the private key of that certificate.', { path: 'file' }),
    tlsClientCa: setting(
      text.optional(),
      'PEM file of the authorities of clients: only clients with a certificate of theirs may connect.',
      { path: 'file' },
    ),
  }),
};

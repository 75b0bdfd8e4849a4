import { z } from 'zod';
import { inGroup, setting } from './setting.ts';
import { byteSize, duration, text } from './value-types.ts';

const originMessage = 'must be an origin such as https://app.example.com, without a path, or * for all';

const origins = z.string({ error: originMessage }).transform((written, context) =>
  written.split(',').map((part) => {
    const origin = part.trim();
    if (origin === '*' || (isWebAddress(origin) && new URL(origin).origin === origin.toLowerCase()))
      return origin.toLowerCase();
    context.addIssue(originMessage);
    return origin;
  }),
);

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^*]+$/i.test(text) && URL.canParse(text);
}

/** Origins of web pages; a text may contain several, separated by commas. `*` cannot be combined. */
export const allowedOrigins = z.array(origins).transform((items, context) => {
  const all = items.flat();
  if (all.length > 1 && all.includes('*')) context.addIssue('must be either * (all origins) or a list of origins');
  return all;
});

const count = (most: number) => z.number().int().min(1).max(most);
const largestHead = 2 ** 20;

/** Settings of the size of requests, of the web pages that may send them, and of TLS. */
export const limitSettings = {
  ...inGroup('limits', {
    httpMaxHeaders: setting(count(2_000).default(128), 'Limit the number of headers of a request.'),
    httpMaxHeaderSize: setting(
      byteSize({ maximum: largestHead }).prefault('32KiB'),
      'Limit the bytes of the path and headers of a request together.',
    ),
    maxJsonDepth: setting(count(1_000).default(128), 'Limit the nesting depth of a request body.', { live: true }),
    maxJsonValues: setting(
      count(100_000_000).default(2 ** 20),
      'Limit the number of values in a request body. Lists, objects and their entries count.',
      { live: true },
    ),
    maxMessages: setting(
      count(100_000).default(10_000),
      'Limit the messages of a conversation, or the items of a response, in one request.',
      { live: true },
    ),
    maxTools: setting(count(1_024).default(1_024), 'Limit the number of tools in a request.', { live: true }),
    maxStopStrings: setting(count(1_024).default(16), 'Limit the number of stop sequences in a request.', {
      live: true,
    }),
    maxChoices: setting(
      count(131_072).default(1_024),
      'Limit the choices of a request: n or best_of, times its prompts.',
      { live: true },
    ),
    maxPromptSize: setting(
      byteSize({ maximum: 2 ** 30 }).prefault('6MiB'),
      'Limit the bytes of a text that Conch tokenizes: a prompt, an input, or a query with its document.',
      { live: true },
    ),
    tokenCacheSize: setting(
      byteSize({ minimum: 0, maximum: 2 ** 30 }).prefault('64MiB'),
      'Limit the memory of each worker for the tokens of earlier prompts. When a conversation grows, Conch tokenizes only the new part. 0 turns the cache off.',
      { live: true },
    ),
    guideQuarantine: setting(
      duration({ minimum: 0 }).prefault('10m'),
      'Set how long Conch rejects a structured-output guide (JSON schema, regex, choices, grammar) after an engine failure followed it. 0 turns off the quarantine and the suspension of clients.',
      { live: true },
    ),
  }),
  ...inGroup('api', {
    allowedOrigins: setting(
      allowedOrigins.prefault([]),
      'Allow web pages of this origin to call the OpenAI API from a browser, for example https://app.example.com. * allows all origins.',
      { placeholder: 'ORIGIN[,ORIGIN]', defaultText: 'none' },
    ),
    tlsCert: setting(
      text.optional(),
      'Serve TLS with this PEM certificate. All ports then accept only TLS. Conch reads the file again when it changes.',
      { path: 'file', isCommon: true },
    ),
    tlsKey: setting(text.optional(), 'Use this PEM private key for --tls-cert.', { path: 'file', isCommon: true }),
    tlsClientCa: setting(text.optional(), 'Accept only clients with a certificate from a CA in this PEM file.', {
      path: 'file',
    }),
  }),
};

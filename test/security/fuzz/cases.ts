import { type Target, targets } from './bodies.ts';
import { anyJson, mutated } from './mutate.ts';
import type { Random } from './random.ts';

/** One attack, ready to be sent. */
export interface Case {
  readonly port: Target['port'];
  readonly kind: string;
  readonly bytes: Buffer;
  /** Answers that must come; a connection that brings less than a request may be closed instead. */
  readonly answers: number;
  /** The client sends no more after this. */
  readonly halfCloses?: boolean;
}

interface Head {
  readonly method: string;
  readonly path: string;
  readonly headers?: readonly string[];
}

function request({ method, path, headers = [] }: Head, body: Buffer | string = ''): Buffer {
  const bytes = Buffer.from(body);
  const length = bytes.length > 0 || method === 'POST' ? [`Content-Length: ${bytes.length}`] : [];
  return withHead({ method, path, headers: [...length, ...headers] }, bytes);
}

function withHead({ method, path, headers = [] }: Head, body: Buffer): Buffer {
  const head = [`${method} ${path} HTTP/1.1`, 'Host: fuzz', 'Connection: close', ...headers, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

const json = ['Content-Type: application/json'];

function textOf(target: Target, random: Random): string {
  return target.body === undefined ? '' : mutated(target.body, random);
}

type Maker = (target: Target, random: Random) => Omit<Case, 'port' | 'kind'>;

const makers: Readonly<Record<string, Maker>> = {
  mutated: (target, random) => ({ bytes: request({ ...target, headers: json }, textOf(target, random)), answers: 1 }),
  random: (target, random) => ({
    bytes: request({ ...target, method: 'POST', headers: json }, anyJson(random)),
    answers: 1,
  }),
  bytes: (target, random) => ({
    bytes: request({ ...target, method: 'POST', headers: json }, random.bytes(random.below(300))),
    answers: 1,
  }),
  cut: (target, random) => {
    const text = JSON.stringify(target.body ?? {});
    return {
      bytes: request({ ...target, method: 'POST', headers: json }, text.slice(0, random.below(text.length))),
      answers: 1,
    };
  },
  headers: (target, random) => ({
    bytes: request({ ...target, headers: [...json, ...strangeHeaders(random)] }, textOf(target, random)),
    answers: 1,
  }),
  types: (target, random) => ({
    bytes: request({ ...target, headers: [`Content-Type: ${random.pick(contentTypes)}`] }, textOf(target, random)),
    answers: 1,
  }),
  chunked: (target, random) => ({
    bytes: withHead(
      { ...target, method: 'POST', headers: [...json, 'Transfer-Encoding: chunked'] },
      chunks(Buffer.from(textOf(target, random) || '{}'), random),
    ),
    answers: 1,
  }),
  brokenChunks: (target, random) => ({
    bytes: withHead(
      { ...target, method: 'POST', headers: [...json, 'Transfer-Encoding: chunked'] },
      Buffer.from(random.pick(['zz\r\n', '5\r\nab', '-1\r\n', 'ffffffffffffffffffff\r\n', '3\r\nabcdef\r\n0\r\n\r\n'])),
    ),
    answers: 0,
    halfCloses: true,
  }),
  wrongLength: (target, random) => {
    const text = textOf(target, random) || '{}';
    const length = random.pick(['99999999', '-1', '1e3', '0x10', '', '18446744073709551617', `${text.length + 50}`]);
    return {
      bytes: withHead(
        { ...target, method: 'POST', headers: [...json, `Content-Length: ${length}`] },
        Buffer.from(text),
      ),
      answers: 0,
      halfCloses: true,
    };
  },
  paths: (target, random) => ({
    bytes: request({ method: random.pick(methods), path: strangePath(target.path, random), headers: json }),
    answers: 1,
  }),
  pipelined: (target, random) => ({
    bytes: Buffer.concat([
      Buffer.from(
        request({ ...target, headers: json }, textOf(target, random))
          .toString('latin1')
          .replace('Connection: close', 'Connection: keep-alive'),
        'latin1',
      ),
      request({ method: 'GET', path: target.port === 'openai' ? '/health/live' : '/v2/health/live' }),
    ]),
    answers: 2,
  }),
  garbage: (_target, random) => ({
    bytes: Buffer.concat([Buffer.from(random.pick(beginnings), 'latin1'), random.bytes(random.below(400))]),
    answers: 0,
    halfCloses: true,
  }),
};

/** Most are about bodies, which get furthest. */
const weights: readonly (readonly [string, number])[] = [
  ['mutated', 60],
  ['random', 8],
  ['bytes', 2],
  ['cut', 3],
  ['headers', 6],
  ['types', 2],
  ['chunked', 4],
  ['brokenChunks', 2],
  ['wrongLength', 3],
  ['paths', 5],
  ['pipelined', 2],
  ['garbage', 3],
];
const total = weights.reduce((sum, [, weight]) => sum + weight, 0);

/** The next attack. */
export function nextCase(random: Random): Case {
  let left = random.below(total);
  const [kind] = weights.find(([, weight]) => (left -= weight) < 0) ?? ['mutated'];
  const target = random.pick(targets);
  const make = makers[kind];
  if (!make) throw new Error(`Nobody makes ${kind}.`);
  return { port: target.port, kind, ...make(target, random) };
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'SEARCH'];
const contentTypes = [
  'text/plain',
  'application/json; charset=latin1',
  'application/json;;;',
  'APPLICATION/JSON',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  ',',
  'x',
  'application/octet-stream',
];
const beginnings = [
  '',
  'GET ',
  'POST / HTTP/1.1\r\n',
  '\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\x16\x03\x01',
  'GET / HTTP/0.9\r\n\r\n',
];

function strangeHeaders(random: Random): string[] {
  const texts = [
    '',
    ' ',
    'x'.repeat(random.pick([10, 4_000, 40_000])),
    '\xff\xfe',
    '*/*;q=NaN',
    'text/event-stream',
    '9'.repeat(30),
  ];
  const names = [
    'Accept',
    'Accept-Encoding',
    'Content-Encoding',
    'X-Request-Id',
    'Authorization',
    'X-Api-Key',
    'Expect',
    'Range',
    'If-None-Match',
    'Cookie',
    'Origin',
    'Anthropic-Version',
    'Inference-Header-Content-Length',
    'Traceparent',
    'Forwarded',
    'X-Odd',
  ];
  if (random.chance(0.1)) return Array.from({ length: random.pick([100, 130, 1_500]) }, (_, at) => `X-${at}: y`);
  return random.times(4, () => `${random.pick(names)}: ${random.pick(texts)}`);
}

function strangePath(path: string, random: Random): string {
  return random.pick([
    () => `${path}/`,
    () => `${path}%`,
    () => `${path}/%ff%00`,
    () => path.toUpperCase(),
    () => `/${'a/'.repeat(random.pick([10, 500]))}`,
    () => `//${path}`,
    () => `${path}?${'a=b&'.repeat(random.pick([1, 300]))}`,
    () => `${path}?stream=maybe&limit=-1&order=up&starting_after=x&stream=true`,
    () => `${path}/../../v1/models`,
    () => 'http://elsewhere/v1/models',
    () => '*',
    () => `/v1/models/${'m'.repeat(random.pick([10, 1_024, 3_000]))}`,
    () => `/v1/responses/${encodeURIComponent(random.bytes(20).toString('latin1'))}`,
  ])();
}

function chunks(body: Buffer, random: Random): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const piece = body.subarray(at, at + 1 + random.below(200));
    pieces.push(
      Buffer.from(`${piece.length.toString(16)}${random.chance(0.1) ? ';a=b' : ''}\r\n`),
      piece,
      Buffer.from('\r\n'),
    );
    at += piece.length;
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
}

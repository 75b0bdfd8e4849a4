import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { inRoot } from '../support/environment.ts';
import type { Exchange } from './recorder.ts';
import { type Reply, replyOf } from './replies.ts';

/** One request of a client, without what differs from run to run, and the reply that it must get. */
export interface RecordedRequest {
  readonly scenario: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly reply?: Reply;
}

/** What one version of a client sends. */
export interface Recording {
  readonly client: string;
  readonly version: string;
  readonly requests: readonly RecordedRequest[];
}

/** A recording in its file: a list of tools is there once, and requests have its position. */
interface RecordingFile extends Recording {
  readonly tools: readonly unknown[];
}

const folder = 'test/agents/recordings';

/** The names of the clients that have a recording. */
export function recordedClients(): string[] {
  return readdirSync(inRoot(folder))
    .map((file) => file.replace(/\.json$/, ''))
    .toSorted();
}

export function readRecording(client: string): Recording {
  const { tools, ...recording } = JSON.parse(readFileSync(fileOf(client), 'utf8')) as RecordingFile;
  const requests = recording.requests.map((request) => {
    const { body } = request as { body?: { tools?: number } };
    return body?.tools === undefined ? request : { ...request, body: { ...body, tools: tools[body.tools] } };
  });
  return { ...recording, requests };
}

export function writeRecording(recording: Recording): void {
  const lists: string[] = [];
  const requests = recording.requests.map((request) => {
    const { body } = request as { body?: { tools?: unknown } };
    if (body?.tools === undefined) return request;
    const list = JSON.stringify(body.tools);
    if (!lists.includes(list)) lists.push(list);
    return { ...request, body: { ...body, tools: lists.indexOf(list) } };
  });
  const file: RecordingFile = { ...recording, requests, tools: lists.map((list) => JSON.parse(list) as unknown) };
  writeFileSync(fileOf(recording.client), `${JSON.stringify(file, undefined, 1)}\n`);
}

function fileOf(client: string): string {
  return inRoot(`${folder}/${client}.json`);
}

/** Headers that a server may act on. */
const recordedHeaders = new Set([
  'accept',
  'anthropic-beta',
  'anthropic-version',
  'authorization',
  'content-encoding',
  'content-type',
  'user-agent',
  'x-api-key',
  'x-goog-api-client',
  'x-goog-api-key',
]);

/** A longer text is recorded as its length: descriptions and system prompts belong to the client's authors. */
const longText = { description: 40, other: 160 };

/** Texts whose content matters: scripts of the toy model, JSON, and the line of Claude Code that differs per session. */
const preciseText = /^\s*[{[]|^x-anthropic-billing-header/;

const ids: readonly (readonly [RegExp, (number: number) => string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, (n) => `00000000-0000-4000-8000-${pad(n, 12)}`],
  [/\b(?:call|toolu|ctc|fc|msg|resp|ses|chatcmpl)[_-][A-Za-z0-9]{8,}\b/g, (n) => `call_${pad(n, 24)}`],
  [/\b[0-9a-f]{64}\b/g, (n) => pad(n, 64)],
];

const fixed: readonly (readonly [RegExp, string])[] = [
  [/\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \w+ \d{1,2}, \d{4}\b/g, 'Thursday, January 1, 2026'],
  [/\b\w{3} \w{3} \d{2} \d{4}\b/g, 'Thu Jan 01 2026'],
  [/\b20\d\d-\d\d-\d\d(?:T[\d:.]+Z?)?/g, '2026-01-01'],
  [/\b1[78]\d{11}\b/g, '1767225600000'],
  [/cc_version=(\d+\.\d+\.\d+)\.\w+/g, 'cc_version=$1.abc'],
];

function pad(number: number, length: number): string {
  return String(number).padStart(length, '0');
}

/** Makes recorded requests of what one session exchanged. Equal ids stay equal. */
export class Redaction {
  readonly #folders: readonly (readonly [string, string])[];
  readonly #ids = new Map<string, string>();

  constructor({ home, folder }: { readonly home: string; readonly folder: string }) {
    // Some clients name folders by their path, with other separators.
    this.#folders = [[folder, '/home/user/project'] as const, [home, '/home/user'] as const].flatMap(([from, to]) => [
      [from, to] as const,
      [from.replaceAll(/[^a-zA-Z0-9]/g, '-'), to.replaceAll('/', '-')] as const,
    ]);
  }

  request(scenario: string, exchange: Exchange): RecordedRequest {
    const { method, path, headers, body } = exchange;
    const relevant = Object.entries(headers).filter(([name]) => recordedHeaders.has(name));
    const reply = exchange.status === 200 ? replyOf(path, exchange.contentType, exchange.text) : undefined;
    return {
      scenario,
      method,
      path,
      headers: Object.fromEntries(relevant.toSorted(([a], [b]) => (a < b ? -1 : 1))),
      ...(body === undefined ? {} : { body: this.#value(body) }),
      ...(reply === undefined ? {} : { reply: this.#value(reply) as Reply }),
    };
  }

  #value(value: unknown, field = ''): unknown {
    if (typeof value === 'string') return shortened(this.#text(value), field);
    if (Array.isArray(value)) return value.map((item) => this.#value(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#value(item, key)]));
  }

  #text(text: string): string {
    let result = text;
    for (const [from, to] of this.#folders) result = result.replaceAll(from, to);
    for (const [pattern, name] of ids) {
      result = result.replaceAll(pattern, (id) => {
        const known = this.#ids.get(id) ?? name(this.#ids.size + 1);
        this.#ids.set(id, known);
        return known;
      });
    }
    for (const [pattern, to] of fixed) result = result.replaceAll(pattern, to);
    return result;
  }
}

/** A long text as its length, around the scripts of the toy model that it contains. */
function shortened(text: string, field: string): string {
  const limit = field === 'description' ? longText.description : longText.other;
  if (text.length <= limit || preciseText.test(text)) return text;
  const scripts = /<<\{.*?\}>>/gs;
  const parts = text.split(scripts).map((part) => (part.length <= limit ? part : `<<${part.length} characters>>`));
  return parts.map((part, at) => part + ([...text.matchAll(scripts)][at]?.[0] ?? '')).join('');
}

const filler = 'The tide comes in and goes out again. ';

/** The request as a client sends it: with texts of the recorded lengths. */
export function expanded(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/<<(\d+) characters>>/g, (_, length: string) =>
      filler.repeat(Math.ceil(Number(length) / filler.length)).slice(0, Number(length)),
    );
  }
  if (Array.isArray(value)) return value.map(expanded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expanded(item)]));
}

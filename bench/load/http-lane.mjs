/** One keep-alive connection that asks an OpenAI server for streamed chat completions, one after another. */
import net from 'node:net';
import tls from 'node:tls';
import { tokenText } from '../answer-text.mjs';
import { CALL_PROMPT, CALL_TOOL, callArguments } from '../tool-call.mjs';

/**
 * Who asked is told of each batch of tokens, then of the end: with undefined, or with what went wrong.
 * @typedef {{ tokens: (count: number) => void, end: (fault: string | undefined) => void }} Listener
 * @typedef {{ ask: (tokens: number, listener: Listener) => void, close: () => void }} Lane
 * @typedef {{ url: URL, model: string, contract: string, prompt: string, checkText: boolean, apiKey?: string | undefined, choices?: number, tool?: boolean, unstreamed?: boolean }} LaneOptions
 */

/** Read into by every socket: what is in it is used up before the next read. */
const SHARED_BUFFER = Buffer.allocUnsafeSlow(256 * 1024);
const CONTENT = '"content":"';
const DONE = 'data: [DONE]';

/** @implements {Lane} */
class HttpLane {
  /** @type {net.Socket | undefined} */
  #socket;
  #options;
  #requestText;
  /** How much each choice has got so far. @type {number[]} */
  #choices = [];
  #arguments = '';
  /** @type {Listener | undefined} */
  #listener;
  #expected = 0;
  #seen = 0;
  #finish = '';
  #done = false;
  /** @type {'head' | 'chunks' | 'length'} */
  #state = 'head';
  #length = 0;
  /** What has been read and is not a whole head or chunk yet. */
  #unread = '';
  /** What has come of an event that is not whole yet. */
  #event = '';

  /**
   * @param {LaneOptions} options
   * @param {(tokens: number) => string} requestText
   */
  constructor(options, requestText) {
    this.#options = options;
    this.#requestText = requestText;
  }

  /** Connects at the first question: thousands at once would overflow the server's queue. */
  #connect() {
    const { url } = this.#options;
    const onread = {
      buffer: SHARED_BUFFER,
      callback: (/** @type {number} */ size) => {
        this.#read(SHARED_BUFFER.toString('latin1', 0, size));
        return true;
      },
    };
    const place = { host: url.hostname, port: Number(url.port), onread };
    const socket =
      url.protocol === 'https:' ? tls.connect({ ...place, rejectUnauthorized: false }) : net.connect(place);
    socket.setNoDelay(true);
    socket.on('error', (error) => this.#end(`the connection failed: ${error.message}`));
    socket.on('close', () => this.#end('the connection was closed'));
    return socket;
  }

  /**
   * @param {number} tokens
   * @param {Listener} listener
   */
  ask(tokens, listener) {
    this.#socket ??= this.#connect();
    if (this.#socket.destroyed) {
      setImmediate(() => listener.end('the connection is closed'));
      return;
    }
    this.#listener = listener;
    this.#expected = tokens * (this.#options.choices ?? 1);
    this.#seen = 0;
    this.#choices = [];
    this.#arguments = '';
    this.#finish = '';
    this.#done = false;
    this.#socket.write(this.#requestText(tokens));
  }

  close() {
    this.#listener = undefined;
    this.#socket?.destroy();
  }

  /** @param {string | undefined} fault */
  #end(fault) {
    const listener = this.#listener;
    this.#listener = undefined;
    if (fault !== undefined) this.#socket?.destroy();
    listener?.end(fault);
  }

  /** @param {string} text */
  #read(text) {
    if (this.#listener === undefined) return;
    this.#unread = this.#unread === '' ? text : this.#unread + text;
    if (this.#state === 'head' && !this.#readHead()) return;
    const seen = this.#seen;
    const ended = this.#state === 'chunks' ? this.#readChunks() : this.#readLength();
    if (this.#seen > seen) this.#listener?.tokens(this.#seen - seen);
    if (ended) this.#end(this.#verdict());
  }

  #readHead() {
    const end = this.#unread.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const head = this.#unread.slice(0, end).toLowerCase();
    const chunked = head.includes('transfer-encoding: chunked');
    this.#length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? Number.NaN);
    if (!head.startsWith('http/1.1 200') || (!chunked && Number.isNaN(this.#length))) {
      this.#end(`unexpected answer: ${head.slice(0, head.indexOf('\r'))} ${this.#unread.slice(end + 4, end + 604)}`);
      return false;
    }
    this.#unread = this.#unread.slice(end + 4);
    this.#state = chunked ? 'chunks' : 'length';
    return true;
  }

  /** Takes the whole chunks out of what is unread. True when the body has ended. */
  #readChunks() {
    const text = this.#unread;
    let at = 0;
    for (;;) {
      const lineEnd = text.indexOf('\r\n', at);
      if (lineEnd < 0) break;
      const size = Number.parseInt(text.slice(at, lineEnd), 16);
      const start = lineEnd + 2;
      if (text.length < start + size + 2) break;
      at = start + size + 2;
      if (size === 0) {
        this.#state = 'head';
        this.#unread = text.slice(at);
        return true;
      }
      this.#readEvents(text.slice(start, start + size));
    }
    this.#unread = at === 0 ? text : text.slice(at);
    return false;
  }

  /** A body that was written in one piece. */
  #readLength() {
    if (this.#unread.length < this.#length) return false;
    const body = this.#unread.slice(0, this.#length);
    this.#unread = this.#unread.slice(this.#length);
    this.#state = 'head';
    if (this.#options.unstreamed) this.#readWhole(body);
    else this.#readEvents(body);
    return true;
  }

  /**
   * An answer that was not streamed counts as all its tokens. Only the lane that checks the text parses it.
   * @param {string} body
   */
  #readWhole(body) {
    this.#done = true;
    if (this.#options.checkText) {
      const [choice] = JSON.parse(body).choices ?? [];
      this.#finish = choice?.finish_reason;
      const expected = Array.from({ length: this.#expected }, (_, index) => tokenText(index)).join('');
      if (choice?.message?.content !== expected) return;
    } else if (!body.includes(CONTENT)) return;
    this.#seen = this.#expected;
  }

  /** @param {string} piece */
  #readEvents(piece) {
    const text = this.#event === '' ? piece : this.#event + piece;
    let start = 0;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n', start)) {
      this.#readEvent(text, start, end);
      start = end + 2;
    }
    this.#event = start === text.length ? '' : text.slice(start);
  }

  /**
   * An event counts as a token when its content is not empty. Only the lane that checks the text parses it.
   * @param {string} text
   * @param {number} start
   * @param {number} end
   */
  #readEvent(text, start, end) {
    if (text.startsWith(DONE, start)) {
      this.#done = true;
      return;
    }
    if (!this.#options.checkText && !this.#options.tool) {
      const content = text.indexOf(CONTENT, start);
      if (content >= 0 && content < end) {
        if (text[content + CONTENT.length] !== '"') this.#seen++;
        return;
      }
    }
    if (text.startsWith('data: ', start)) this.#readJson(text.slice(start + 6, end));
  }

  /** @param {string} json */
  #readJson(json) {
    const chunk = JSON.parse(json);
    const choice = chunk.choices?.[0];
    const content = choice?.delta?.content;
    if (chunk.error !== undefined) this.#end(`an error came in the stream: ${json}`);
    if (typeof choice?.finish_reason === 'string') this.#finish = choice.finish_reason;
    if (this.#options.tool) this.#readArguments(choice?.delta?.tool_calls?.[0]?.function?.arguments);
    if (typeof content !== 'string' || content === '') return;
    const at = this.#choices[choice.index] ?? 0;
    if (this.#options.checkText && content !== tokenText(at)) {
      this.#end(`token ${at} is ${JSON.stringify(content)}, not ${JSON.stringify(tokenText(at))}`);
    }
    this.#choices[choice.index] = at + 1;
    this.#seen++;
  }

  /** @param {string | undefined} piece */
  #readArguments(piece) {
    if (piece === undefined) return;
    this.#arguments += piece;
    this.#seen = Math.floor(this.#arguments.length / 4);
  }

  #verdict() {
    if (this.#event !== '') return `the stream ended inside an event: ${this.#event.slice(0, 200)}`;
    if (!this.#done) return 'the stream ended without [DONE]';
    if (this.#options.tool) return this.#callVerdict();
    if (this.#seen !== this.#expected) return `${this.#seen} events with content instead of ${this.#expected}`;
    if (this.#options.checkText && this.#finish !== 'length') return `finish_reason is '${this.#finish}', not 'length'`;
    return undefined;
  }

  #callVerdict() {
    if (this.#finish !== 'tool_calls') return `finish_reason is '${this.#finish}', not 'tool_calls'`;
    const expected = callArguments(this.#expected);
    if (this.#arguments === expected) return undefined;
    return `the call has ${this.#arguments.length} characters of arguments, or others, instead of ${expected.length}`;
  }
}

/**
 * The requests of lanes, each written once.
 * @param {LaneOptions} options
 * @returns {(tokens: number) => string}
 */
function requestTexts({ url, model, prompt, apiKey, choices = 1, tool, unstreamed = false }) {
  /** @type {Map<number, string>} */
  const known = new Map();
  return (tokens) => {
    const text = known.get(tokens);
    if (text !== undefined) return text;
    const body = JSON.stringify({
      model,
      ...(unstreamed ? {} : { stream: true }),
      max_tokens: tokens,
      ...(choices > 1 ? { n: choices } : {}),
      ...(tool ? { tools: [CALL_TOOL] } : {}),
      messages: [{ role: 'user', content: tool ? CALL_PROMPT : prompt }],
    });
    const made =
      `POST /v1/chat/completions HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/json\r\n` +
      (apiKey === undefined ? '' : `authorization: Bearer ${apiKey}\r\n`) +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    known.set(tokens, made);
    return made;
  };
}

/**
 * Lanes to an OpenAI server, a connection each. The first checks every text where that is asked.
 * @param {LaneOptions} options
 * @param {number} count
 * @returns {Lane[]}
 */
export function openHttpLanes(options, count) {
  const requestText = requestTexts(options);
  return Array.from({ length: count }, (_, index) => {
    return new HttpLane({ ...options, checkText: options.checkText && index === 0 }, requestText);
  });
}

/** The token server's answers asked for over OpenAI's API: counts their tokens, and checks them. */
import { TOKEN_BYTES, textAt } from '../completion-text.mjs';
import { harness } from '../harness.mjs';
import { CALL_PROMPT, CALL_TOOL, callArguments } from '../tool-call.mjs';

/**
 * @import { HttpConnection, ResponseHead, ResponseListener } from '../../src/bench/load/http-connection.ts'
 * @typedef {{ url: URL, model: string, contract: string, prompt: string, checkText: boolean, apiKey?: string | undefined, choices: number, tool: boolean, unstreamed: boolean, byText: boolean, extra: object }} LaneOptions
 * @typedef {(count: number, events: number) => void} OnTokens tokens that came in one read, and in how many events
 * @typedef {(lane: number, tokens: number, onTokens: OnTokens) => Promise<string | undefined>} Ask gives what went wrong
 * @typedef {{ ask: Ask, close: () => void }} Lanes
 */

const CONTENT = '"content":"';
/** Other gateways may write a space. */
const ANY_CONTENT = /"content": ?"/;
const MOST_SHOWN = 600;

/**
 * The length of a JSON string that has no other escapes than those of one character.
 * @param {string} json
 * @param {number} from behind its opening quote
 */
function lengthAt(json, from) {
  let length = 0;
  for (let at = from; at < json.length && json[at] !== '"'; at += json[at] === '\\' ? 2 : 1) length++;
  return length;
}

/**
 * One answer. An event counts as a token when its content is not empty, or, by text, as many tokens as its content holds. Only an
 * answer whose text is checked is parsed.
 */
class OpenAiResponse {
  #options;
  #expected;
  #onTokens;
  #onEnd;
  /** How many characters each choice has got so far. @type {number[]} */
  #choices = [];
  #arguments = '';
  #characters = 0;
  #seen = 0;
  #told = 0;
  #events = 0;
  #toldEvents = 0;
  #finish = '';
  #done = false;
  /** @type {string | undefined} */
  #fault;
  /** Of an answer that is no stream. */
  #body = '';
  /** @type {InstanceType<typeof harness.EventReader> | undefined} */
  #reader;
  /** @type {ResponseHead | undefined} */
  #head;

  /**
   * @param {LaneOptions} options
   * @param {{ tokens: number, onTokens: OnTokens, onEnd: (fault: string | undefined) => void }} request
   */
  constructor(options, { tokens, onTokens, onEnd }) {
    this.#options = options;
    this.#expected = tokens * options.choices;
    this.#onTokens = onTokens;
    this.#onEnd = onEnd;
  }

  /** @param {ResponseHead} head */
  onHead(head) {
    this.#head = head;
    if (head.status === 200 && !this.#options.unstreamed)
      this.#reader = new harness.EventReader((data) => this.#readEvent(data));
  }

  /** @param {string} text */
  onBody(text) {
    if (this.#reader === undefined) this.#body += text;
    else this.#reader.pushText(text);
  }

  onRead() {
    if (this.#seen === this.#told) return;
    this.#onTokens(this.#seen - this.#told, this.#events - this.#toldEvents);
    this.#told = this.#seen;
    this.#toldEvents = this.#events;
  }

  onEnd() {
    if (this.#head?.status !== 200)
      this.#fault = `unexpected answer: HTTP ${this.#head?.status} ${this.#body.slice(0, MOST_SHOWN)}`;
    else if (this.#options.unstreamed) this.#readWhole();
    this.onRead();
    this.#onEnd(this.#verdict());
  }

  /** @param {{ code: string, isInBody: boolean }} failure */
  onFailure({ code, isInBody }) {
    this.#onEnd(isInBody ? `the connection was closed: ${code}` : `connection failed: ${code}`);
  }

  /** @param {string} data */
  #readEvent(data) {
    if (data === '[DONE]') {
      this.#done = true;
      return;
    }
    if (!this.#options.checkText && !this.#options.tool) {
      const content = data.indexOf(CONTENT);
      if (content >= 0) {
        this.#add(lengthAt(data, content + CONTENT.length));
        return;
      }
    }
    this.#readJson(data);
  }

  /** @param {number} characters of one event */
  #add(characters) {
    if (characters === 0) return;
    this.#events++;
    this.#characters += characters;
    this.#seen = this.#options.byText ? Math.floor(this.#characters / TOKEN_BYTES) : this.#events;
  }

  /** @param {string} json */
  #readJson(json) {
    const chunk = JSON.parse(json);
    const choice = chunk.choices?.[0];
    const content = choice?.delta?.content;
    if (chunk.error !== undefined) this.#fault ??= `an error came in the stream: ${json}`;
    if (typeof choice?.finish_reason === 'string') this.#finish = choice.finish_reason;
    if (this.#options.tool) this.#readArguments(choice?.delta?.tool_calls?.[0]?.function?.arguments);
    if (typeof content !== 'string' || content === '') return;
    const at = this.#choices[choice.index] ?? 0;
    const expected = textAt(at, this.#options.byText ? content.length : TOKEN_BYTES);
    if (this.#options.checkText && content !== expected)
      this.#fault ??= `token ${at / TOKEN_BYTES} is ${JSON.stringify(content)}, not ${JSON.stringify(expected)}`;
    this.#choices[choice.index] = at + content.length;
    this.#add(content.length);
  }

  /** @param {string | undefined} piece */
  #readArguments(piece) {
    if (piece === undefined) return;
    this.#arguments += piece;
    this.#events++;
    this.#seen = Math.floor(this.#arguments.length / TOKEN_BYTES);
  }

  /** An answer that was not streamed counts as all its tokens. */
  #readWhole() {
    this.#done = true;
    if (this.#options.checkText) {
      const [choice] = JSON.parse(this.#body).choices ?? [];
      this.#finish = choice?.finish_reason;
      if (choice?.message?.content !== textAt(0, this.#expected * TOKEN_BYTES)) return;
    } else if (!ANY_CONTENT.test(this.#body)) return;
    this.#events = 1;
    this.#seen = this.#expected;
  }

  #verdict() {
    if (this.#fault !== undefined) return this.#fault;
    if (!this.#done) return 'the stream ended without [DONE]';
    if (this.#options.tool) return this.#callVerdict();
    const { byText, checkText } = this.#options;
    const unit = byText ? 'tokens of text' : 'events with content';
    if (this.#seen !== this.#expected) return `${this.#seen} ${unit} instead of ${this.#expected}`;
    if (checkText && !byText && this.#finish !== 'length') return `finish_reason is '${this.#finish}', not 'length'`;
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
 * @returns {(tokens: number) => Buffer}
 */
function requests({ url, model, prompt, apiKey, choices, tool, unstreamed, extra }) {
  /** @type {Map<number, Buffer>} */
  const known = new Map();
  const target = { origin: url.origin, headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` } };
  return (tokens) => {
    const written = known.get(tokens);
    if (written !== undefined) return written;
    const body = JSON.stringify({
      model,
      ...(unstreamed ? {} : { stream: true }),
      max_tokens: tokens,
      ...(choices > 1 ? { n: choices } : {}),
      ...(tool ? { tools: [CALL_TOOL] } : {}),
      messages: [{ role: 'user', content: tool ? CALL_PROMPT : prompt }],
      ...extra,
    });
    const made = harness.httpRequest(target, '/v1/chat/completions', body);
    known.set(tokens, made);
    return made;
  };
}

/**
 * Lanes to an OpenAI server. The first checks every text where that is asked.
 * @param {LaneOptions} options
 * @returns {Lanes}
 */
export function openAiLanes(options) {
  const request = requests(options);
  const client = new harness.HttpClient({ origin: options.url.origin, isInsecure: true });
  const unchecked = { ...options, checkText: false };
  return {
    ask: (lane, tokens, onTokens) =>
      new Promise((resolve) => {
        /** @type {HttpConnection} */
        let connection;
        const onEnd = (/** @type {string | undefined} */ error) => {
          client.giveBack(connection);
          resolve(error);
        };
        const response = new OpenAiResponse(lane === 0 ? options : unchecked, { tokens, onTokens, onEnd });
        connection = client.request(request(tokens), response);
      }),
    close: () => client.close(),
  };
}

import { isJsonObject, type JsonObject, parseJsonObject } from '../../json-object.ts';
import type { Endpoint } from './messages.ts';

/** The parts of a response, collected as they arrive. */
export class CollectedResponse {
  readonly #endpoint: Endpoint;
  readonly #keepsTexts: boolean;
  /** By choice and kind of text, because each is tokenized separately. */
  readonly #texts = new Map<string, string>();
  usage: { readonly prompt: number | undefined; readonly completion: number | undefined } | undefined;
  isFinished = false;
  error: string | undefined;

  constructor(endpoint: Endpoint, keepsTexts = true) {
    this.#endpoint = endpoint;
    this.#keepsTexts = keepsTexts;
  }

  get texts(): string[] {
    return [...this.#texts.values()];
  }

  /** Takes the data of one event. True if it contains text. */
  takeEvent(data: string): boolean {
    if (data === '[DONE]') {
      this.isFinished = true;
      return false;
    }
    const event = parseJsonObject(data);
    if (event === undefined) {
      this.error ??= 'event is not valid JSON';
      return false;
    }
    return this.#take(event, 'delta');
  }

  /** Takes the rest of a stream. An incomplete event is ignored. */
  takeRest(data: string): boolean {
    return (data === '[DONE]' || parseJsonObject(data) !== undefined) && this.takeEvent(data);
  }

  /** Takes a response that is not streamed. */
  takeWhole(body: string): boolean {
    const json = parseJsonObject(body);
    this.isFinished = json !== undefined;
    if (json === undefined) this.error ??= 'response is not valid JSON';
    return json !== undefined && this.#take(json, 'message');
  }

  #take(json: JsonObject, where: 'delta' | 'message'): boolean {
    if (json['error'] !== undefined && json['error'] !== null)
      this.error ??= `error in the response: ${errorText(json['error'])}`;
    if (isJsonObject(json['usage'])) {
      const { prompt_tokens: prompt, completion_tokens: completion } = json['usage'];
      this.usage = { prompt: numberOf(prompt), completion: numberOf(completion) };
    }
    if (this.#endpoint === 'embeddings') return Array.isArray(json['data']) && json['data'].length > 0;
    let hasText = false;
    for (const choice of Array.isArray(json['choices']) ? json['choices'] : [])
      if (isJsonObject(choice)) hasText = this.#takeChoice(choice, where) || hasText;
    return hasText;
  }

  #takeChoice(choice: JsonObject, where: 'delta' | 'message'): boolean {
    const index = typeof choice['index'] === 'number' ? choice['index'] : 0;
    if (typeof choice['finish_reason'] === 'string') this.isFinished = true;
    if (this.#endpoint === 'completions') return this.#add(`${index} text`, choice['text']);
    const message = choice[where];
    if (!isJsonObject(message)) return false;
    let hasText = this.#add(`${index} content`, message['content']);
    hasText = this.#add(`${index} reasoning`, message['reasoning_content'] ?? message['reasoning']) || hasText;
    hasText = this.#add(`${index} refusal`, message['refusal']) || hasText;
    const calls = message['tool_calls'];
    if (!Array.isArray(calls)) return hasText;
    for (const [at, call] of calls.entries()) {
      if (!isJsonObject(call) || !isJsonObject(call['function'])) continue;
      const name = `${index} call ${typeof call['index'] === 'number' ? call['index'] : at}`;
      hasText = this.#add(name, call['function']['name']) || hasText;
      hasText = this.#add(name, call['function']['arguments']) || hasText;
    }
    return hasText;
  }

  #add(name: string, text: unknown): boolean {
    if (typeof text !== 'string' || text === '') return false;
    if (this.#keepsTexts) this.#texts.set(name, (this.#texts.get(name) ?? '') + text);
    return true;
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

const longestError = 160;

/** The message of an error of any server, shortened. */
export function errorText(error: unknown): string {
  const message = isJsonObject(error) ? (error['message'] ?? error['detail'] ?? error['error']) : error;
  const text = typeof message === 'string' ? message : JSON.stringify(message ?? error);
  return text.length > longestError ? `${text.slice(0, longestError)}…` : text;
}

/** The error message in the body of a failed response. */
export function refusalText(body: string): string {
  const json = parseJsonObject(body);
  return errorText(json === undefined ? body : (json['error'] ?? json));
}

import type { TokenLogprob } from '../../../contracts/contract.ts';
import { type GenerateEvent, giveEvent } from '../../../contracts/events.ts';
import type { ApiError } from '../../../errors.ts';
import type { ResponseWriter } from '../../../http/response-writer.ts';
import type { OutputItem, TextLogprob } from './output-items.ts';
import { type OutputListener, ResponseBuilder, type ResponseOptions } from './response-builder.ts';
import type { ResponseObject } from './response-object.ts';

/** The events that deltas of each kind of item come in. */
const deltaTypes = {
  message: 'response.output_text.delta',
  reasoning: 'response.reasoning_text.delta',
  function_call: 'response.function_call_arguments.delta',
  custom_tool_call: 'response.custom_tool_call_input.delta',
} as const;

/** Writes a response as typed server-sent events, numbered from 0. A plain delta is its text between prepared pieces. */
export class ResponseEvents implements ResponseWriter, OutputListener {
  readonly #builder: ResponseBuilder;
  #sequence = 0;
  #text = '';
  /** The JSON of a plain delta of the open item: before its number, before its text and after its text. */
  #plain: readonly [string, string, string] = ['', '', ''];
  /** The members of an event that locate the open item and its only part. */
  #location: object = {};

  constructor(options: ResponseOptions) {
    this.#builder = new ResponseBuilder(options, this);
  }

  /** The first events of a response that is queued. */
  queue(): string {
    this.#text = '';
    const response = this.#builder.queued();
    this.#event('response.created', { response });
    this.#event('response.queued', { response });
    return this.#text;
  }

  /** The response before generation starts. */
  queued(): ResponseObject {
    return this.#builder.queued();
  }

  begin(events: readonly GenerateEvent[] = []): string {
    this.#text = '';
    const response = this.response();
    if (this.#sequence === 0) this.#event('response.created', { response });
    this.#event('response.in_progress', { response });
    for (const event of events) giveEvent(event, this.#builder);
    return this.#text;
  }

  delta(choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): string {
    this.#text = '';
    this.#builder.text(choice, text, tokens, logprobs);
    return this.#text;
  }

  write(event: GenerateEvent): string {
    this.#text = '';
    giveEvent(event, this.#builder);
    return this.#text;
  }

  end(): string {
    this.complete();
    return this.ending();
  }

  fail(error: ApiError): string {
    this.abandon(error);
    return this.ending();
  }

  /** All events have arrived; `ending` returns the last event. */
  complete(): void {
    this.#builder.end();
  }

  /** Ends the response early, because of an error or because it was cancelled. */
  abandon(reason: ApiError | 'cancelled'): void {
    if (reason === 'cancelled') this.#builder.cancel();
    else this.#builder.fail(reason);
  }

  /** Marks the response as not stored, because storing it failed. */
  forget(): void {
    this.#builder.forget();
  }

  /** The response as it is now; whole after `end` or `fail`. */
  response(): ResponseObject {
    return this.#builder.response();
  }

  added(item: OutputItem, index: number): void {
    const isCall = item.type === 'function_call' || item.type === 'custom_tool_call';
    this.#event('response.output_item.added', { output_index: index, item: isCall ? item : { ...item, content: [] } });
    this.#location = { item_id: item.id, output_index: index, ...(isCall ? {} : { content_index: 0 }) };
    if (!isCall) this.#event('response.content_part.added', { ...this.#location, part: item.content[0] });
    const type = deltaTypes[item.type];
    const location = JSON.stringify(this.#location).slice(1, -1);
    const after = item.type === 'message' ? ',"logprobs":[]}\n\n' : '}\n\n';
    this.#plain = [`event: ${type}\ndata: {"type":"${type}","sequence_number":`, `,${location},"delta":`, after];
  }

  grew(_item: OutputItem, text: string, logprobs: readonly TextLogprob[] | undefined): void {
    if (logprobs) {
      this.#event(deltaTypes.message, { ...this.#location, delta: text, logprobs: logprobs.map(withoutBytes) });
      return;
    }
    const [before, between, after] = this.#plain;
    this.#text += before + this.#sequence++ + between + JSON.stringify(text) + after;
  }

  done(item: OutputItem, index: number): void {
    const location = this.#location;
    switch (item.type) {
      case 'message': {
        const [part] = item.content;
        const logprobs = part.logprobs.map(withoutBytes);
        this.#event('response.output_text.done', { ...location, text: part.text, logprobs });
        this.#event('response.content_part.done', { ...location, part });
        break;
      }
      case 'reasoning': {
        const [part] = item.content;
        this.#event('response.reasoning_text.done', { ...location, text: part.text });
        this.#event('response.content_part.done', { ...location, part });
        break;
      }
      case 'function_call':
        this.#event('response.function_call_arguments.done', {
          ...location,
          name: item.name,
          arguments: item.arguments,
        });
        break;
      case 'custom_tool_call':
        this.#event('response.custom_tool_call_input.done', { ...location, input: item.input });
        break;
    }
    this.#event('response.output_item.done', { output_index: index, item });
  }

  /** The last event, which has the final status. A cancelled response has none. */
  ending(): string {
    this.#text = '';
    const response = this.response();
    if (response.status !== 'cancelled') this.#event(`response.${response.status}`, { response });
    return this.#text;
  }

  #event(type: string, members: object): void {
    const data = JSON.stringify({ type, sequence_number: this.#sequence++, ...members });
    this.#text += `event: ${type}\ndata: ${data}\n\n`;
  }
}

/** The logprobs of an event have no bytes, unlike those of a whole part. */
function withoutBytes({ token, logprob, top_logprobs: top }: TextLogprob): object {
  return {
    token,
    logprob,
    top_logprobs: top.map((other) => ({ token: other.token, logprob: other.logprob })),
  };
}

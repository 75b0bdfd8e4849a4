import type { TokenLogprob } from '../../../contracts/contract.ts';
import type { EventFold, OtherEvent, TokenUsage, ToolCallDelta } from '../../../contracts/events.ts';
import type { ApiError } from '../../../errors.ts';
import type { TokenText } from '../../../http/logprobs.ts';
import { packReasoning } from '../../../requests/packed-reasoning.ts';
import { CustomInput } from './custom-input.ts';
import { type ItemType, itemId } from './item-ids.ts';
import {
  type CallItem,
  type CustomCallItem,
  newCall,
  newCustomCall,
  newMessage,
  newReasoning,
  type OutputItem,
  type TextLogprob,
  textLogprobs,
} from './output-items.ts';
import { type ResponseHead, type ResponseObject, type ResponseState, responseObject } from './response-object.ts';
import type { Toolset } from './toolset.ts';

/** What a response needs beside its events. */
export interface ResponseOptions {
  readonly head: ResponseHead;
  /** The tools that the model may call. */
  readonly tools: Pick<Toolset, 'called'>;
  readonly tokenText: TokenText;
  /** Seconds since 1970. */
  now(): number;
}

/** Receives the items of a response as they grow. One is open at a time. */
export interface OutputListener {
  added(item: OutputItem, index: number): void;
  grew(item: OutputItem, text: string, logprobs: readonly TextLogprob[] | undefined): void;
  done(item: OutputItem, index: number): void;
}

/** Builds the items of a response from the events of a generation. */
export class ResponseBuilder implements EventFold {
  readonly #options: ResponseOptions;
  #head: ResponseHead;
  readonly #listener: OutputListener | undefined;
  readonly #output: OutputItem[] = [];
  /** The last item, while it may grow. */
  #open: OutputItem | undefined;
  /** The input of the open item, if it is the call of a custom tool. */
  #input = new CustomInput();
  /** The logprobs of tokens whose text is still held back. */
  #waiting: TokenLogprob[] = [];
  #isCut = false;
  #usage: TokenUsage | undefined;
  #ending: Pick<ResponseState, 'status' | 'completed' | 'error'> = { status: 'in_progress' };

  constructor(options: ResponseOptions, listener?: OutputListener) {
    this.#options = options;
    this.#head = options.head;
    this.#listener = listener;
  }

  text(_choice: number, text: string, _tokens: number, logprobs: readonly TokenLogprob[] | undefined): void {
    this.#text(text, logprobs);
  }

  event(event: OtherEvent): void {
    switch (event.type) {
      case 'reasoning-delta':
        if (event.text !== '') this.#reasoning(event.text);
        break;
      case 'tool-call-delta':
        this.#call(event);
        break;
      case 'finish':
        this.#finish(event.reason === 'length');
        break;
      case 'usage':
        this.#usage = event;
        break;
      case 'prompt-tokens':
      case 'prompt-ids':
      case 'prompt-logprobs':
      case 'token-ids':
        break;
    }
  }

  /** All events have come. */
  end(): void {
    this.#ending = this.#isCut ? { status: 'incomplete' } : { status: 'completed', completed: this.#options.now() };
  }

  fail(error: ApiError): void {
    this.#abandon({ status: 'failed', error });
  }

  cancel(): void {
    this.#abandon({ status: 'cancelled' });
  }

  /** The response before generation starts. */
  queued(): ResponseObject {
    return responseObject(this.#head, { status: 'queued', output: [] });
  }

  /** Marks the response as not stored, because storing it failed. */
  forget(): void {
    const { head } = this.#options;
    this.#head = { ...head, request: { ...head.request, store: false } };
  }

  /** The response as it is now. */
  response(): ResponseObject {
    return responseObject(this.#head, { ...this.#ending, output: this.#output, usage: this.#usage });
  }

  /** Logprobs without text wait for their text. Those of reasoning and tool calls are dropped. */
  #text(text: string, logprobs: readonly TokenLogprob[] | undefined): void {
    let open = this.#open;
    if (text === '') {
      if (logprobs && (open === undefined || open.type === 'message'))
        for (const logprob of logprobs) this.#waiting.push(logprob);
      return;
    }
    if (open?.type !== 'message') open = this.#add(newMessage(this.#newId('message')));
    const [part] = open.content;
    part.text += text;
    if (!logprobs && this.#waiting.length === 0) {
      this.#listener?.grew(open, text, undefined);
      return;
    }
    const figures = textLogprobs([...this.#waiting, ...(logprobs ?? [])], this.#options.tokenText);
    this.#waiting = [];
    for (const figure of figures) part.logprobs.push(figure);
    this.#listener?.grew(open, text, figures);
  }

  #reasoning(text: string): void {
    const isPacked = this.#options.head.request.include?.includes('reasoning.encrypted_content') ?? false;
    const open =
      this.#open?.type === 'reasoning' ? this.#open : this.#add(newReasoning(this.#newId('reasoning'), { isPacked }));
    open.content[0].text += text;
    this.#listener?.grew(open, text, undefined);
  }

  #call({ id, name, arguments: fragment }: ToolCallDelta): void {
    const open = id !== undefined && name !== undefined ? this.#add(this.#newCall(id, name)) : this.#open;
    if (open?.type === 'function_call') this.#grow(open, fragment);
    else if (open?.type === 'custom_tool_call') this.#grow(open, this.#input.push(fragment));
  }

  #newCall(id: string, calledName: string): CallItem | CustomCallItem {
    const { type, name, namespace } = this.#options.tools.called(calledName) ?? { type: 'function', name: calledName };
    if (type === 'function') return newCall(this.#newId('function_call'), { id, name, namespace });
    return newCustomCall(this.#newId('custom_tool_call'), { id, name, namespace });
  }

  #grow(call: CallItem | CustomCallItem, text: string): void {
    if (text === '') return;
    if (call.type === 'function_call') call.arguments += text;
    else call.input += text;
    this.#listener?.grew(call, text, undefined);
  }

  /** A response that ends without text or tool calls gets an empty message, because clients expect one. */
  #finish(isCut: boolean): void {
    this.#isCut = isCut;
    const isSilent = this.#output.every(({ type }) => type === 'reasoning');
    if (isSilent && !isCut) this.#add(newMessage(this.#newId('message')));
    this.#close(isCut ? 'incomplete' : 'completed');
  }

  #newId(type: ItemType): string {
    return itemId(this.#options.head.id, type, `o${this.#output.length}`);
  }

  #add<Item extends OutputItem>(item: Item): Item {
    this.#close('completed');
    if (item.type !== 'message') this.#waiting = [];
    if (item.type === 'custom_tool_call') this.#input = new CustomInput();
    this.#open = item;
    this.#output.push(item);
    this.#listener?.added(item, this.#output.length - 1);
    return item;
  }

  #close(status: 'completed' | 'incomplete'): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    const rest = this.#settle(open, status);
    if (rest !== '') this.#listener?.grew(open, rest, undefined);
    this.#listener?.done(open, this.#output.length - 1);
  }

  #abandon(ending: Pick<ResponseState, 'status' | 'error'>): void {
    if (this.#open) this.#settle(this.#open, 'incomplete');
    this.#open = undefined;
    this.#ending = ending;
  }

  /** Completes an item. Returns the text that this adds to it. */
  #settle(item: OutputItem, status: 'completed' | 'incomplete'): string {
    item.status = status;
    if (item.type === 'reasoning' && item.encrypted_content !== undefined)
      item.encrypted_content = packReasoning(item.content[0].text);
    if (item.type !== 'custom_tool_call') return '';
    const rest = this.#input.end();
    item.input += rest;
    return rest;
  }
}

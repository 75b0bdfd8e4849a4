import { ApiError } from '../../../errors.ts';
import type { ChatMessage } from '../../../requests/chat-request.ts';
import type { PlacedItem } from './conversation.ts';
import type { ContentPart, InputItem } from './input-items.ts';
import { unpackReasoning } from './packed-reasoning.ts';

/** The request fields that a chat message comes from, to rename the field of an error. */
export interface MessageOrigin {
  readonly place: string;
  /** The name of the field with its content; undefined if the path is that of the content itself. */
  readonly content: 'content' | 'output' | undefined;
  /** The paths of its tool calls. */
  readonly calls: readonly string[];
}

type ChatContent = string | { type: string; [field: string]: unknown }[];

/** One assistant turn, while it is assembled. */
interface Turn {
  readonly place: string;
  reasoning: string;
  content: ChatContent | undefined;
  readonly calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
  readonly callPlaces: string[];
}

/** Turns the items of a conversation into the messages of a chat. */
export class MessageBuilder {
  readonly messages: ChatMessage[] = [];
  readonly origins: MessageOrigin[] = [];
  /** The assistant's message that items are still added to. */
  #turn: Turn | undefined;

  add({ item, place }: PlacedItem): void {
    switch (item.type) {
      case 'message':
        if (item.role === 'assistant') this.#say(contentOf(item.content), place);
        else this.#message({ role: item.role, content: contentOf(item.content) }, originOf(place, 'content'));
        break;
      case 'reasoning':
        this.#reason(reasoningOf(item, place), place);
        break;
      case 'function_call':
        this.#call(item, place);
        break;
      case 'function_call_output':
        this.#message(
          { role: 'tool', tool_call_id: item.call_id, content: contentOf(item.output) },
          originOf(place, 'output'),
        );
        break;
    }
  }

  /** No more items come. */
  end(): void {
    const turn = this.#turn;
    if (!turn) return;
    this.#turn = undefined;
    const hasCalls = turn.calls.length > 0;
    this.messages.push({
      role: 'assistant',
      content: turn.content ?? (hasCalls ? null : ''),
      ...(turn.reasoning === '' ? {} : { reasoning_content: turn.reasoning }),
      ...(hasCalls ? { tool_calls: turn.calls } : {}),
    });
    this.origins.push({ ...originOf(turn.place, 'content'), calls: turn.callPlaces });
  }

  #message(message: ChatMessage, origin: MessageOrigin): void {
    this.end();
    this.messages.push(message);
    this.origins.push(origin);
  }

  /** Two messages in a row stay two; text after a call joins the message with the call, whose output must come next. */
  #say(content: ChatContent, place: string): void {
    if (this.#turn?.content !== undefined && this.#turn.calls.length === 0) this.end();
    const turn = this.#open(place);
    turn.content = turn.content === undefined ? content : joined(turn.content, content);
  }

  #reason(text: string, place: string): void {
    if (text === '') return;
    if (this.#turn?.content !== undefined && this.#turn.calls.length === 0) this.end();
    const turn = this.#open(place);
    turn.reasoning += turn.reasoning === '' ? text : `\n${text}`;
  }

  #call({ call_id: id, name, arguments: given }: InputItem & { type: 'function_call' }, place: string): void {
    const turn = this.#open(place);
    turn.calls.push({ id, type: 'function', function: { name, arguments: given } });
    turn.callPlaces.push(place);
  }

  #open(place: string): Turn {
    this.#turn ??= { place, reasoning: '', content: undefined, calls: [], callPlaces: [] };
    return this.#turn;
  }
}

function originOf(place: string, content: 'content' | 'output'): MessageOrigin {
  return { place, content: place.startsWith('input[') ? content : undefined, calls: [] };
}

/** A single text becomes a string: not every chat template supports lists. */
function contentOf(content: string | readonly ContentPart[]): ChatContent {
  if (typeof content === 'string') return content;
  const [first, second] = content;
  if (first && !second && 'text' in first) return first.text as string;
  return content.map(chatPart);
}

function chatPart(part: ContentPart): { type: string; [field: string]: unknown } {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: part.text };
    case 'refusal':
      return { type: 'refusal', refusal: part.refusal };
    case 'input_image':
      return { type: 'image_url', image_url: { url: part.image_url, ...(part.detail ? { detail: part.detail } : {}) } };
  }
}

function joined(before: ChatContent, after: ChatContent): ChatContent {
  if (typeof before === 'string' && typeof after === 'string') return before + after;
  return [...partsOf(before), ...partsOf(after)];
}

function partsOf(content: ChatContent): { type: string; [field: string]: unknown }[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** The reasoning text, else the one in `encrypted_content`, else the summary. */
function reasoningOf(item: InputItem & { type: 'reasoning' }, place: string): string {
  const { content, encrypted_content: packed, summary } = item;
  if (content && content.length > 0) return content.map(({ text }) => text).join('');
  if (packed) {
    const text = unpackReasoning(packed);
    if (text !== undefined) return text;
    const param = `${place}.encrypted_content`;
    throw new ApiError('invalid_request', `${param}: was created by another server; leave the item out.`, { param });
  }
  return (summary ?? []).map(({ text }) => text).join('\n');
}

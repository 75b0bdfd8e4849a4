import type { ChatMessage } from '../../../requests/chat-request.ts';
import { unpackReasoning } from '../../../requests/packed-reasoning.ts';
import type { ConversationItem } from './conversation.ts';
import type { ContentPart, PlainItem } from './input-items.ts';
import { flatName } from './toolset.ts';

/** The request fields that a chat message comes from, to rename the field of an error. */
export interface MessageOrigin {
  readonly path: string;
  /** The name of the field with its content; undefined if the path is that of the content itself. */
  readonly content: 'content' | 'output' | undefined;
  /** The paths of its tool calls. */
  readonly calls: readonly string[];
}

type PastCall = PlainItem & { type: 'function_call' | 'custom_tool_call' };

type ChatContent = string | { type: string; [field: string]: unknown }[];

/** One assistant turn, while it is assembled. */
interface AssistantTurn {
  readonly path: string;
  reasoning: string;
  content: ChatContent | undefined;
  readonly calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
  readonly callPaths: string[];
}

/** Turns the items of a conversation into the messages of a chat. */
export class MessageBuilder {
  readonly messages: ChatMessage[] = [];
  readonly origins: MessageOrigin[] = [];
  /** The assistant's message that items are still added to. */
  #turn: AssistantTurn | undefined;

  add({ item, path }: ConversationItem): void {
    switch (item.type) {
      case 'message':
        if (item.role === 'assistant') this.#say(contentOf(item.content), path);
        else this.#message({ role: item.role, content: contentOf(item.content) }, originOf(path, 'content'));
        break;
      case 'reasoning':
        this.#reason(reasoningOf(item), path);
        break;
      case 'function_call':
        this.#call(item, item.arguments, path);
        break;
      case 'custom_tool_call':
        this.#call(item, JSON.stringify({ input: item.input }), path);
        break;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.#message(
          { role: 'tool', tool_call_id: item.call_id, content: contentOf(item.output) },
          originOf(path, 'output'),
        );
        break;
      case 'additional_tools':
      case 'tool_search_output':
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
    this.origins.push({ ...originOf(turn.path, 'content'), calls: turn.callPaths });
  }

  #message(message: ChatMessage, origin: MessageOrigin): void {
    this.end();
    this.messages.push(message);
    this.origins.push(origin);
  }

  /** Two messages in a row stay two; text after a call joins the message with the call, whose output must come next. */
  #say(content: ChatContent, path: string): void {
    if (this.#turn?.content !== undefined && this.#turn.calls.length === 0) this.end();
    const turn = this.#open(path);
    turn.content = turn.content === undefined ? content : joined(turn.content, content);
  }

  #reason(text: string, path: string): void {
    if (text === '') return;
    if (this.#turn?.content !== undefined && this.#turn.calls.length === 0) this.end();
    const turn = this.#open(path);
    turn.reasoning += turn.reasoning === '' ? text : `\n${text}`;
  }

  #call({ call_id: id, name, namespace }: PastCall, json: string, path: string): void {
    const turn = this.#open(path);
    turn.calls.push({ id, type: 'function', function: { name: flatName(name, namespace), arguments: json } });
    turn.callPaths.push(path);
  }

  #open(path: string): AssistantTurn {
    this.#turn ??= { path, reasoning: '', content: undefined, calls: [], callPaths: [] };
    return this.#turn;
  }
}

function originOf(path: string, content: 'content' | 'output'): MessageOrigin {
  return { path, content: path.startsWith('input[') ? content : undefined, calls: [] };
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

/** The reasoning text, else the one in `encrypted_content`, unless another server created it, else the summary. */
function reasoningOf({ content, encrypted_content: packed, summary }: PlainItem & { type: 'reasoning' }): string {
  if (content && content.length > 0) return content.map(({ text }) => text).join('');
  return (packed && unpackReasoning(packed)) || (summary ?? []).map(({ text }) => text).join('\n');
}

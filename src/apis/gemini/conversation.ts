import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../errors.ts';
import type { ChatMessage } from '../../requests/chat-request.ts';
import { unpackReasoning } from '../../requests/packed-reasoning.ts';
import { type ChatContent, contentOf, type LocatedPart, resultContent } from './chat-content.ts';
import { type Content, type FunctionResponse, isIgnored, type TextContent } from './content.ts';

/** Consecutive contents of one role: they are one turn. */
interface Turn {
  readonly isModel: boolean;
  /** The path of its first content. */
  readonly path: string;
  readonly parts: LocatedPart[];
}

/** The path in the request of a chat message, and of each part of its content. */
export interface MessagePaths {
  readonly path: string;
  readonly parts: readonly string[];
}

export interface Conversation {
  readonly messages: ChatMessage[];
  /** One for each message. */
  readonly paths: MessagePaths[];
  /** Whether the response continues the last message. */
  readonly isContinued: boolean;
  /** The paths of results that were sent twice. */
  readonly ignored: string[];
}

/** Translates contents to chat messages. */
export function conversationOf(contents: readonly Content[], system: TextContent | undefined): Conversation {
  const turns = turnsOf(contents);
  const last = turns.at(-1) as Turn;
  const isContinued = last.isModel && hasPrefill(last);
  // A last model turn without text is no prefill: the response starts from nothing.
  if (last.isModel && !isContinued && turns.length > 1) turns.pop();
  const builder = new ConversationBuilder(isContinued);
  const opening = located(system?.parts ?? [], 'systemInstruction');
  if (opening.some(({ part }) => part.text !== '')) builder.addMessage('system', 'systemInstruction', opening);
  for (const turn of turns) builder.addTurn(turn);
  return builder.conversation;
}

function turnsOf(contents: readonly Content[]): Turn[] {
  const turns: Turn[] = [];
  contents.forEach(({ role, parts = [] }, at) => {
    const path = `contents[${at}]`;
    const isModel = role === 'model';
    const before = turns.at(-1);
    if (before?.isModel === isModel) before.parts.push(...located(parts, path));
    else turns.push({ isModel, path, parts: located(parts, path) });
  });
  return turns;
}

function located(parts: readonly LocatedPart['part'][], path: string): LocatedPart[] {
  return parts.map((part, at) => ({ part, path: `${path}.parts[${at}]` }));
}

/** Whether the last model turn has text that the response can continue. */
function hasPrefill({ parts }: Turn): boolean {
  const call = parts.find(({ part }) => part.functionCall);
  if (call)
    throw invalid(
      `${call.path}.functionCall`,
      'the contents end with this call; send its result in a functionResponse part.',
    );
  return parts.some(({ part }) => Boolean(part.text) && !part.thought);
}

/** A function call of an earlier turn. */
interface PastCall {
  readonly id: string;
  hasResult: boolean;
}

/** The function calls of earlier turns, and their results. */
class PastCalls {
  #count = 0;
  readonly #byId = new CallLists();
  readonly #byName = new CallLists();
  readonly #results = new Map<string, ChatContent>();

  /** Adds a call, and returns its id. */
  add(name: string, clientId: string | undefined): string {
    const id = clientId || `call_${this.#count}`;
    const call = { id, hasResult: false };
    this.#count += 1;
    this.#byId.add(id, call);
    this.#byName.add(name, call);
    return id;
  }

  /** Whether a call has this result already: gemini-cli sends each result twice in a resumed session. */
  hasResult({ id = '' }: FunctionResponse, content: ChatContent): boolean {
    return !this.#byId.firstOpen(id) && isDeepStrictEqual(this.#results.get(id), content);
  }

  /** The id of the call that gets a result, by the result's id or else by its name: ids are optional. */
  resolve({ id = '', name }: FunctionResponse, content: ChatContent): string | undefined {
    const call = this.#byId.firstOpen(id) ?? this.#byName.firstOpen(name);
    if (!call) return undefined;
    call.hasResult = true;
    this.#results.set(call.id, content);
    return call.id;
  }
}

/** Lists of calls by a key, in their order. */
class CallLists {
  readonly #lists = new Map<string, { readonly calls: PastCall[]; next: number }>();

  add(key: string, call: PastCall): void {
    const list = this.#lists.get(key);
    if (list) list.calls.push(call);
    else this.#lists.set(key, { calls: [call], next: 0 });
  }

  /** The first call without a result. Calls before it are not read again. */
  firstOpen(key: string): PastCall | undefined {
    const list = this.#lists.get(key);
    if (!list) return undefined;
    while (list.calls[list.next]?.hasResult) list.next += 1;
    return list.calls[list.next];
  }
}

class ConversationBuilder {
  readonly conversation: Conversation;
  readonly #calls = new PastCalls();

  constructor(isContinued: boolean) {
    this.conversation = { messages: [], paths: [], isContinued, ignored: [] };
  }

  addTurn({ isModel, path, parts }: Turn): void {
    if (isModel) this.#addModel(path, parts);
    else this.#addUser(path, parts);
  }

  addMessage(role: 'user' | 'system', path: string, parts: readonly LocatedPart[]): void {
    this.#add({ role, content: contentOf(parts) }, { path, parts: parts.map((part) => part.path) });
  }

  #addUser(path: string, parts: readonly LocatedPart[]): void {
    const others: LocatedPart[] = [];
    for (const entry of parts) {
      const { functionResponse, functionCall } = entry.part;
      if (functionCall) throw invalid(entry.path, 'functionCall is only supported in contents with the role model.');
      if (functionResponse) this.#addResult(functionResponse, `${entry.path}.functionResponse`);
      else if (!isIgnored(entry.part, 'user')) others.push(entry);
    }
    if (others.length > 0 || parts.length === 0) this.addMessage('user', path, others);
  }

  #addResult(result: FunctionResponse, path: string): void {
    const content = resultContent(result);
    if (this.#calls.hasResult(result, content)) {
      this.conversation.ignored.push(path);
      return;
    }
    const id = this.#calls.resolve(result, content);
    if (id === undefined)
      throw invalid(path, `no earlier functionCall without a result has the name ${JSON.stringify(result.name)}.`);
    this.#add(
      { role: 'tool', tool_call_id: id, content },
      { path, parts: [path, ...(result.parts ?? []).map((_, at) => `${path}.parts[${at}]`)] },
    );
  }

  #addModel(path: string, parts: readonly LocatedPart[]): void {
    let text = '';
    let thoughts = '';
    const signed: string[] = [];
    const calls: PastCallParam[] = [];
    for (const entry of parts) {
      const { part } = entry;
      const reasoning = part.thoughtSignature === undefined ? undefined : unpackReasoning(part.thoughtSignature);
      if (reasoning !== undefined) signed.push(reasoning);
      if (part.functionCall) calls.push(this.#callParam(part.functionCall));
      else if (part.text === undefined)
        throw invalid(entry.path, 'only text and functionCall are supported in contents with the role model.');
      else if (part.thought) thoughts += part.text;
      else text += part.text;
    }
    // A signature has all reasoning before its call. The thoughts beside it are the same text.
    const reasoning = signed.length > 0 ? signed.join('\n') : thoughts;
    this.#add(
      {
        role: 'assistant',
        content: text === '' && calls.length > 0 ? null : text,
        ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
      },
      { path, parts: [] },
    );
  }

  #callParam({ id, name, args = {} }: NonNullable<LocatedPart['part']['functionCall']>): PastCallParam {
    return {
      id: this.#calls.add(name, id),
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    };
  }

  #add(message: ChatMessage, paths: MessagePaths): void {
    this.conversation.messages.push(message);
    this.conversation.paths.push(paths);
  }
}

type PastCallParam = NonNullable<Extract<ChatMessage, { role: 'assistant' }>['tool_calls']>[number];

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_request', `${param}: ${message}`, { param });
}

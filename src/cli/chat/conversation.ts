import { z } from 'zod';
import { jsonOrText } from '../client-flags.ts';
import type { ChatResponse, ToolCall } from './chat-response.ts';

/** A message as OpenAI's API has it. */
interface Message {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly ToolCall[] | undefined;
}

/** Request fields that the chat sets itself, and what to do instead of setting them. */
export const ownFields: ReadonlyMap<string, string> = new Map([
  ['model', 'Write the model after conch chat, or use /model'],
  ['messages', 'Type the messages, and set the system message with --system or /system'],
  ['stream', 'Responses are always streamed'],
  ['stream_options', 'The usage is always requested'],
  ['n', 'Each message has one response'],
]);

const Saved = z.object({
  model: z.string().optional(),
  system: z.string().optional(),
  fields: z.record(z.string(), z.unknown()).default({}),
  messages: z.array(
    z.object({ role: z.string(), content: z.string(), tool_calls: z.array(z.custom<ToolCall>()).optional() }),
  ),
});

interface ConversationOptions {
  readonly system?: string | undefined;
  readonly fields?: Iterable<readonly [string, unknown]>;
}

/** The messages so far, and the fields of the next request. */
export class Conversation {
  model: string;
  system: string | undefined;
  readonly fields: Map<string, unknown>;
  #messages: Message[] = [];
  #prompt: string | undefined;

  constructor(model: string, { system, fields }: ConversationOptions = {}) {
    this.model = model;
    this.system = system;
    this.fields = new Map(fields ?? []);
  }

  /** The number of messages. */
  get length(): number {
    return this.#messages.length;
  }

  /** The request that sends this prompt. */
  request(prompt: string): object {
    this.#prompt = prompt;
    const opening = this.system === undefined ? [] : [{ role: 'system', content: this.system }];
    return {
      model: this.model,
      messages: [...opening, ...this.#messages, { role: 'user', content: prompt }],
      ...Object.fromEntries(this.fields),
      stream: true,
      stream_options: { include_usage: true },
    };
  }

  /** Stores the last prompt with its response, whole or partial; an empty response is not stored. */
  keep({ text, calls }: Pick<ChatResponse, 'text' | 'calls'>): void {
    if (this.#prompt === undefined || (text === '' && calls.length === 0)) return;
    this.#messages.push(
      { role: 'user', content: this.#prompt },
      { role: 'assistant', content: text, ...(calls.length > 0 ? { tool_calls: calls } : {}) },
    );
  }

  /** Removes the last prompt and its response, and returns the prompt to send it again. */
  takeBack(): string | undefined {
    const lastMessage = this.#messages.at(-2);
    if (lastMessage?.role === 'user' && lastMessage.content === this.#prompt) this.#messages.splice(-2);
    return this.#prompt;
  }

  /** Removes the messages; the system message and the fields stay. */
  clear(): void {
    this.#messages = [];
    this.#prompt = undefined;
  }

  /** All of it as JSON. */
  saved(): string {
    const { model, system } = this;
    const saved = { model, system, fields: Object.fromEntries(this.fields), messages: this.#messages };
    return `${JSON.stringify(saved, undefined, 2)}\n`;
  }

  /** Continues a saved conversation with the current model. Throws a RangeError if the text is not one. */
  load(text: string): void {
    const { system, fields, messages } = readSaved(text);
    this.system = system;
    this.fields.clear();
    for (const [name, value] of Object.entries(fields)) this.fields.set(name, value);
    this.#messages = messages;
    this.#prompt = messages.findLast(({ role }) => role === 'user')?.content;
  }
}

/** Reads what /save wrote. Throws a RangeError for any other text. */
export function readSaved(text: string): z.output<typeof Saved> {
  const { success, data } = Saved.safeParse(jsonOrText(text));
  if (!success) throw new RangeError('is not a conversation from /save');
  return data;
}

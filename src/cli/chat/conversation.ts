import { z } from 'zod';
import { jsonOrText } from '../client-flags.ts';
import type { ChatAnswer, ToolCall } from './answer.ts';

/** A message as OpenAI's API has it. */
interface Message {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly ToolCall[] | undefined;
}

/** Fields of a request that the chat fills in itself, and what to do in their place. */
export const ownFields: ReadonlyMap<string, string> = new Map([
  ['model', 'the model is named after conch chat, or by /model'],
  ['messages', 'the messages are what is typed, and the system message that of --system or /system'],
  ['stream', 'answers are always streamed'],
  ['stream_options', 'they always ask for the usage'],
  ['n', 'there is one answer to each question'],
]);

const Saved = z.object({
  model: z.string().optional(),
  system: z.string().optional(),
  fields: z.record(z.string(), z.unknown()).default({}),
  messages: z.array(
    z.object({ role: z.string(), content: z.string(), tool_calls: z.array(z.custom<ToolCall>()).optional() }),
  ),
});

interface Opening {
  readonly system?: string | undefined;
  readonly fields?: Iterable<readonly [string, unknown]>;
}

/** What was said so far, and how the next question is asked. */
export class Conversation {
  model: string;
  system: string | undefined;
  readonly fields: Map<string, unknown>;
  #messages: Message[] = [];
  #question: string | undefined;

  constructor(model: string, { system, fields }: Opening = {}) {
    this.model = model;
    this.system = system;
    this.fields = new Map(fields ?? []);
  }

  /** Questions and answers together. */
  get length(): number {
    return this.#messages.length;
  }

  /** The request that asks this question. */
  request(question: string): object {
    this.#question = question;
    const opening = this.system === undefined ? [] : [{ role: 'system', content: this.system }];
    return {
      model: this.model,
      messages: [...opening, ...this.#messages, { role: 'user', content: question }],
      ...Object.fromEntries(this.fields),
      stream: true,
      stream_options: { include_usage: true },
    };
  }

  /** Keeps the last question with its answer, or with as much of that as came; an empty one leaves no trace. */
  keep({ text, calls }: Pick<ChatAnswer, 'text' | 'calls'>): void {
    if (this.#question === undefined || (text === '' && calls.length === 0)) return;
    this.#messages.push(
      { role: 'user', content: this.#question },
      { role: 'assistant', content: text, ...(calls.length > 0 ? { tool_calls: calls } : {}) },
    );
  }

  /** Takes the last question back, with its answer where it has one, to be asked again. */
  takeBack(): string | undefined {
    const asked = this.#messages.at(-2);
    if (asked?.role === 'user' && asked.content === this.#question) this.#messages.splice(-2);
    return this.#question;
  }

  /** Forgets what was said; the system message and the fields stay. */
  clear(): void {
    this.#messages = [];
    this.#question = undefined;
  }

  /** All of it as JSON. */
  saved(): string {
    const { model, system } = this;
    const saved = { model, system, fields: Object.fromEntries(this.fields), messages: this.#messages };
    return `${JSON.stringify(saved, undefined, 2)}\n`;
  }

  /** Goes on with a conversation that was saved, with the model of now. Throws a RangeError where the text is none. */
  load(text: string): void {
    const { system, fields, messages } = readSaved(text);
    this.system = system;
    this.fields.clear();
    for (const [name, value] of Object.entries(fields)) this.fields.set(name, value);
    this.#messages = messages;
    this.#question = messages.findLast(({ role }) => role === 'user')?.content;
  }
}

/** What /save wrote. Throws a RangeError where it is something else. */
export function readSaved(text: string): z.output<typeof Saved> {
  const { success, data } = Saved.safeParse(jsonOrText(text));
  if (!success) throw new RangeError('is not a conversation of /save');
  return data;
}

import { type GenerateEvent, giveEvent } from '../../contracts/events.ts';
import type { ApiError } from '../../errors.ts';
import type { ResponseWriter } from '../../http/response-writer.ts';
import { errorBody } from './error-body.ts';
import { type ContentBlock, type MessageHead, messageOf } from './message.ts';
import { type BlockSink, type MessageOptions, MessageState } from './message-state.ts';

interface WriterOptions extends MessageOptions {
  readonly head: MessageHead;
  readonly requestId: string | null;
  /** Renames the field of an error to its name in this API. */
  readonly rename: (error: ApiError) => ApiError;
}

/** Marks the position of the text in a prepared delta. JSON escapes it, so it cannot occur elsewhere. */
const textMark = '\u0000';

/** Writes the events of a generation as Anthropic's stream. A delta is its text between two prepared pieces. */
export class MessageWriter implements ResponseWriter, BlockSink {
  readonly #options: WriterOptions;
  readonly #state: MessageState;
  /** The output since the last call. */
  #written = '';
  #index = -1;
  #type: ContentBlock['type'] = 'text';
  /** The JSON before and after the text of a delta of the open block. */
  #before = '';
  #after = '';

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#state = new MessageState(this, options);
  }

  begin(events: readonly GenerateEvent[]): string {
    for (const event of events) if (event.type === 'prompt-tokens') this.#state.event(event);
    const { ending, usage } = this.#state;
    const message = messageOf(this.#options.head, { content: [], ending, usage });
    let text = namedEvent('message_start', { message });
    for (const event of events) if (event.type !== 'prompt-tokens') text += this.write(event);
    return text;
  }

  delta(choice: number, text: string, tokens: number): string {
    this.#written = '';
    this.#state.text(choice, text, tokens);
    return this.#written;
  }

  write(event: GenerateEvent): string {
    this.#written = '';
    giveEvent(event, this.#state);
    return this.#written;
  }

  end(): string {
    const { ending: delta, usage } = this.#state;
    return namedEvent('message_delta', { delta, usage }) + namedEvent('message_stop');
  }

  /** No message_stop follows an error, so that no client takes the message for complete. */
  fail(error: ApiError): string {
    return namedEvent('error', errorBody(this.#options.rename(error), this.#options.requestId));
  }

  open(block: ContentBlock): void {
    this.#index++;
    this.#type = block.type;
    this.#written += namedEvent('content_block_start', { index: this.#index, content_block: block });
    const [before, after] = this.#deltaEvent(deltaOf(block.type, textMark)).split(JSON.stringify(textMark));
    this.#before = before as string;
    this.#after = after as string;
  }

  add(text: string): void {
    this.#written += this.#before + JSON.stringify(text) + this.#after;
  }

  close(signature: string): void {
    if (this.#type === 'thinking') this.#written += this.#deltaEvent({ type: 'signature_delta', signature });
    this.#written += namedEvent('content_block_stop', { index: this.#index });
  }

  #deltaEvent(delta: object): string {
    return namedEvent('content_block_delta', { index: this.#index, delta });
  }
}

function deltaOf(type: ContentBlock['type'], text: string): object {
  switch (type) {
    case 'text':
      return { type: 'text_delta', text };
    case 'thinking':
      return { type: 'thinking_delta', thinking: text };
    case 'tool_use':
      return { type: 'input_json_delta', partial_json: text };
  }
}

/** An event of the stream. Its name is also its type. */
function namedEvent(type: string, fields: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

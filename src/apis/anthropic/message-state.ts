import type { EventFold, GenerateEvent, OtherEvent, TokenUsage, ToolCallDelta } from '../../contracts/events.ts';
import { packReasoning } from '../../requests/packed-reasoning.ts';
import { type ContentBlock, type DeltaUsage, type MessageEnding, noEnding } from './message.ts';

/** Receives the content blocks of a response, one after the other. */
export interface BlockSink {
  /** A new block, still empty. */
  open(block: ContentBlock): void;
  /** More text, thinking or input JSON of the open block. */
  add(text: string): void;
  /** The open block is complete. A thinking block has a signature. */
  close(signature: string): void;
}

/**
 * Clients store the signature with the thinking and send it back. Some drop thinking without one. Conch signs nothing
 * and accepts any signature.
 */
const unsigned = 'unsigned';

export interface MessageOptions {
  /** Whether thinking blocks are empty. Their signature then has the thinking, so that the next request brings it back. */
  readonly omitsThinking: boolean;
}

/** Reads the events of a generation: passes its blocks to the sink, and stores its stop reason and usage. */
export class MessageState implements EventFold {
  readonly #sink: BlockSink;
  readonly #options: MessageOptions;
  /** The thinking of the open block, if it is omitted. */
  #thinking = '';
  #open: ContentBlock['type'] | undefined;
  #promptTokens = 0;
  #tokens = 0;
  #usage: TokenUsage | undefined;
  #ending = noEnding;

  constructor(sink: BlockSink, options: MessageOptions) {
    this.#sink = sink;
    this.#options = options;
  }

  text(_choice: number, text: string, tokens: number): void {
    this.#tokens += tokens;
    if (text !== '') this.#add('text', text);
  }

  event(event: OtherEvent): void {
    switch (event.type) {
      case 'reasoning-delta':
        if (event.text !== '') this.#think(event.text);
        break;
      case 'tool-call-delta':
        this.#call(event);
        break;
      case 'finish':
        this.#close();
        this.#ending = endingOf(event);
        break;
      case 'prompt-tokens':
        this.#promptTokens += event.count;
        break;
      case 'usage':
        this.#usage = event;
        break;
      case 'prompt-ids':
      case 'prompt-logprobs':
      case 'token-ids':
        break;
    }
  }

  get ending(): MessageEnding {
    return this.#ending;
  }

  /** The usage so far. Without a final usage event, it counts the tokens of the deltas. */
  get usage(): DeltaUsage {
    const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = this.#usage ?? {
      promptTokens: this.#promptTokens,
      completionTokens: this.#tokens,
    };
    return {
      input_tokens: promptTokens - (cachedTokens ?? 0),
      cache_creation_input_tokens: null,
      cache_read_input_tokens: cachedTokens ?? null,
      output_tokens: completionTokens,
      output_tokens_details: reasoningTokens === undefined ? null : { thinking_tokens: reasoningTokens },
      server_tool_use: null,
    };
  }

  #add(type: 'text' | 'thinking', text: string): void {
    if (this.#open !== type) this.#begin(newBlock(type));
    this.#sink.add(text);
  }

  #think(text: string): void {
    if (!this.#options.omitsThinking) {
      this.#add('thinking', text);
      return;
    }
    if (this.#open !== 'thinking') this.#begin(newBlock('thinking'));
    this.#thinking += text;
  }

  #call({ id, name, arguments: fragment }: ToolCallDelta): void {
    if (id !== undefined && name !== undefined)
      this.#begin({ type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } });
    if (fragment !== '') this.#sink.add(fragment);
  }

  #begin(block: ContentBlock): void {
    this.#close();
    this.#open = block.type;
    this.#sink.open(block);
  }

  #close(): void {
    if (this.#open) this.#sink.close(this.#options.omitsThinking ? packReasoning(this.#thinking) : unsigned);
    this.#open = undefined;
    this.#thinking = '';
  }
}

function newBlock(type: 'text' | 'thinking'): ContentBlock {
  return type === 'text' ? { type, text: '' } : { type, thinking: '', signature: '' };
}

function endingOf({ reason, stopText }: Extract<GenerateEvent, { type: 'finish' }>): MessageEnding {
  if (stopText !== undefined) return { ...noEnding, stop_reason: 'stop_sequence', stop_sequence: stopText };
  return { ...noEnding, stop_reason: stopReasons[reason] };
}

const stopReasons = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' } as const;

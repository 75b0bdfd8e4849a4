import type { Generation } from '../../contracts/events.ts';
import { runInto } from '../../generate/run-into.ts';
import { inputOf } from '../../requests/call-input.ts';
import { type ContentBlock, type Message, type MessageHead, messageOf } from './message.ts';
import { type BlockSink, type MessageOptions, MessageState } from './message-state.ts';

/** Folds the events of a generation into the message that a request without streaming gets. */
export async function collectMessage(
  generation: Generation,
  { head, ...options }: MessageOptions & { readonly head: MessageHead },
): Promise<Message> {
  const blocks = new BlockList();
  const state = new MessageState(blocks, options);
  await runInto(generation, state);
  return messageOf(head, { content: blocks.content, ending: state.ending, usage: state.usage });
}

class BlockList implements BlockSink {
  readonly content: ContentBlock[] = [];
  #text = '';

  open(block: ContentBlock): void {
    this.content.push(block);
    this.#text = '';
  }

  add(text: string): void {
    this.#text += text;
  }

  close(signature: string): void {
    const block = this.content.at(-1) as ContentBlock;
    switch (block.type) {
      case 'text':
        block.text = this.#text;
        break;
      case 'thinking':
        block.thinking = this.#text;
        block.signature = signature;
        break;
      case 'tool_use':
        block.input = inputOf(this.#text);
        break;
    }
  }
}

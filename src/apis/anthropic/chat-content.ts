import type { ChatMessage } from '../../requests/chat-request.ts';
import type { ImageBlock, ResultBlock } from './blocks.ts';

/** A single text becomes a string, several blocks become a list of content parts. */
export function contentOf(blocks: readonly ResultBlock[]): Extract<ChatMessage, { role: 'user' }>['content'] {
  const [first] = blocks;
  if (!first) return '';
  if (blocks.length === 1 && first.type === 'text') return first.text;
  return blocks.map((block) => (block.type === 'text' ? { type: 'text', text: block.text } : imagePart(block)));
}

function imagePart({ source }: ImageBlock) {
  const url = source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`;
  return { type: 'image_url', image_url: { url } };
}

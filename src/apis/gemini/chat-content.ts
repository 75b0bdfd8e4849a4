import type { ChatMessage } from '../../requests/chat-request.ts';
import type { FunctionResponse, Media, Part } from './content.ts';

/** A part, and its path in the request. */
export interface LocatedPart {
  readonly part: Part;
  readonly path: string;
}

export type ChatContent = Extract<ChatMessage, { role: 'user' }>['content'];

/** A single text becomes a string, several parts become a list of content parts. */
export function contentOf(parts: readonly LocatedPart[]): ChatContent {
  const [first] = parts;
  if (!first) return '';
  if (parts.length === 1 && first.part.text !== undefined) return first.part.text;
  return parts.map(({ part }) => (part.text === undefined ? imagePart(part) : { type: 'text', text: part.text }));
}

/** The content of a tool message. */
export function resultContent(result: FunctionResponse): ChatContent {
  const text = resultText(result);
  const { parts = [] } = result;
  return parts.length === 0 ? text : [{ type: 'text', text }, ...parts.map(imagePart)];
}

/** By Google's convention, `output` has the result of a function. */
function resultText({ response = {} }: FunctionResponse): string {
  const { output, ...others } = response;
  return typeof output === 'string' && Object.keys(others).length === 0 ? output : JSON.stringify(response);
}

function imagePart({ inlineData, fileData }: Media) {
  const url = inlineData ? `data:${inlineData.mimeType};base64,${inlineData.data}` : (fileData?.fileUri ?? '');
  return { type: 'image_url', image_url: { url } };
}

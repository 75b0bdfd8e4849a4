const mark = 'conch.';

/** The mark in base64. It has six bytes, so the base64 of a mark and a text is that of the mark and that of the text. */
const encodedMark = encoded(mark);

/**
 * Reasoning as a text that is opaque to clients, which send it back with the next request: `encrypted_content` of the
 * Responses API, `signature` of the Messages API. It is not secret.
 */
export function packReasoning(text: string): string {
  return mark + encoded(text);
}

/** As `packReasoning`, for the `thoughtSignature` of the Gemini API: all of it is base64, as Google's clients decode it. */
export function packThought(text: string): string {
  return encodedMark + encoded(text);
}

/** Reasoning that was packed in either way. Undefined for a text that another server created. */
export function unpackReasoning(packed: string): string | undefined {
  const found = [mark, encodedMark].find((each) => packed.startsWith(each));
  return found === undefined ? undefined : Buffer.from(packed.slice(found.length), 'base64').toString();
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

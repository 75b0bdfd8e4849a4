const mark = 'conch.';

/**
 * Reasoning as `encrypted_content`: opaque to clients, which send it back if nothing is stored. It is not secret: the
 * item also has the same text as `reasoning_text`.
 */
export function packReasoning(text: string): string {
  return mark + Buffer.from(text).toString('base64');
}

/** Undefined for content that another server created. */
export function unpackReasoning(packed: string): string | undefined {
  if (!packed.startsWith(mark)) return undefined;
  return Buffer.from(packed.slice(mark.length), 'base64').toString();
}

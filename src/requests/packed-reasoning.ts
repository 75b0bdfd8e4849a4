const mark = 'conch.';

/**
 * Reasoning as a text that is opaque to clients, which send it back with the next request: `encrypted_content` of the
 * Responses API, `signature` of the Messages API. It is not secret.
 */
export function packReasoning(text: string): string {
  return mark + Buffer.from(text).toString('base64');
}

/** Undefined for a text that another server created. */
export function unpackReasoning(packed: string): string | undefined {
  if (!packed.startsWith(mark)) return undefined;
  return Buffer.from(packed.slice(mark.length), 'base64').toString();
}

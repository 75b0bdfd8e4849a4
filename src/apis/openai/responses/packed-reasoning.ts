const mark = 'conch.';

/**
 * Reasoning as `encrypted_content`: opaque to clients, which send it back where nothing is stored. It is not secret, the
 * same text stands beside it as `reasoning_text`.
 */
export function packReasoning(text: string): string {
  return mark + Buffer.from(text).toString('base64');
}

/** Undefined for what another server made. */
export function unpackReasoning(packed: string): string | undefined {
  if (!packed.startsWith(mark)) return undefined;
  return Buffer.from(packed.slice(mark.length), 'base64').toString();
}

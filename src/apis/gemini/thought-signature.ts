const mark = 'conch.';

/**
 * Reasoning as the `thoughtSignature` of a function call. Clients store it with the call and send it back, so the
 * model sees its reasoning again when it reads the result. All of it is base64, as Google's clients decode it.
 */
export function packThought(reasoning: string): string {
  return Buffer.from(mark + reasoning).toString('base64');
}

/** The reasoning in a signature; undefined for one that another server created. */
export function unpackThought(signature: string): string | undefined {
  const text = Buffer.from(signature, 'base64').toString();
  return text.startsWith(mark) ? text.slice(mark.length) : undefined;
}

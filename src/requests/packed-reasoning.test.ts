import { describe, expect, it } from 'vitest';
import { packReasoning, packThought, unpackReasoning } from './packed-reasoning.ts';

describe.each(['', 'Let me see.', 'Zürich 🐚\n"quoted"'])('reasoning: %j', (text) => {
  it('is packed so that a client can send it back', () => {
    const packed = packReasoning(text);
    expect(packed).toMatch(/^conch\.[\w+/=]*$/);
    expect(unpackReasoning(packed)).toBe(text);
  });

  it('is packed as base64 for clients that decode it', () => {
    const packed = packThought(text);
    expect(packed).toMatch(/^[\w+/]*={0,2}$/);
    expect(Buffer.from(packed, 'base64').toString()).toBe(`conch.${text}`);
    expect(unpackReasoning(packed)).toBe(text);
  });
});

it('does not unpack what another server created', () => {
  for (const packed of ['EqoBCkgIARABGAIiQL', 'unsigned', '']) expect(unpackReasoning(packed)).toBeUndefined();
});

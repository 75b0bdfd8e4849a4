import { expect, it } from 'vitest';
import { packReasoning, unpackReasoning } from './packed-reasoning.ts';

it('packs reasoning so that a client can send it back', () => {
  for (const text of ['', 'Let me see.', 'Zürich 🐚\n"quoted"']) {
    const packed = packReasoning(text);
    expect(packed).toMatch(/^conch\.[\w+/=]*$/);
    expect(unpackReasoning(packed)).toBe(text);
  }
});

it('does not unpack what another server created', () => {
  expect(unpackReasoning('EqoBCkgIARABGAIiQL')).toBeUndefined();
  expect(unpackReasoning('unsigned')).toBeUndefined();
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ChatRequest } from '../../requests/chat-request.ts';
import { CompletionRequest } from '../../requests/completion-request.ts';

describe('docs/api.md', () => {
  it('says of every request field what becomes of it', () => {
    const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
    const known = new Set([...Object.keys(ChatRequest.shape), ...Object.keys(CompletionRequest.shape)]);
    expect([...known].filter((field) => !page.includes(`\`${field}\``))).toEqual([]);
  });
});

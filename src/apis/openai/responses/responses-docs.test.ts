import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chatFields, ResponsesRequest, renamedFields } from './responses-request.ts';

describe('docs/responses.md', () => {
  it('says of every field that a chat has not what becomes of it', () => {
    const page = readFileSync(new URL('../../../../docs/responses.md', import.meta.url), 'utf8');
    const own = Object.keys(ResponsesRequest.shape).filter(
      (field) => Object.hasOwn(renamedFields, field) || !Object.hasOwn(chatFields, field),
    );
    expect(own.filter((field) => !page.includes(`\`${field}\``))).toEqual([]);
  });
});

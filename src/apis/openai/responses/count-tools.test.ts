import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../errors.ts';
import { checkLimits } from '../../../http/request-limits.ts';
import { countAllTools } from './count-tools.ts';

function errorOf(body: object, tools = 40): string | undefined {
  try {
    checkLimits(body, [countAllTools], { messages: 1000, tools, stopStrings: 0, choices: 1 });
    return undefined;
  } catch (error) {
    return ApiError.from(error).message;
  }
}

const many = (count: number, prefix = 'tool') =>
  Array.from({ length: count }, (_, at) => ({ type: 'function', name: `${prefix}${at}` }));
const refusal = (count: number) =>
  `tools: must have at most 40 tools (--max-tools), including those in namespaces, not ${count}.`;

describe('the limit on tools', () => {
  it('counts a tool that items repeat once', () => {
    const found = (tools: unknown, at: number) => ({ type: 'tool_search_output', call_id: `c${at}`, tools });
    const repeated = Array.from({ length: 30 }, (_, at) => found(many(40), at));
    expect(errorOf({ input: repeated })).toBeUndefined();
    expect(errorOf({ tools: many(20), input: repeated })).toBeUndefined();
    expect(errorOf({ input: [...repeated, found([{ type: 'custom', name: 'more' }], 30)] })).toBe(refusal(41));
    expect(errorOf({ tools: many(1, 'own'), input: [{ type: 'additional_tools', tools: many(40) }] })).toBe(
      refusal(41),
    );
  });

  it('tells tools of the same name in two namespaces apart', () => {
    const inside = (name: string) => ({ type: 'namespace', name, tools: many(20) });
    expect(errorOf({ tools: [inside('a'), inside('b')] })).toBeUndefined();
    expect(errorOf({ tools: [inside('a'), inside('a')] })).toBeUndefined();
    expect(errorOf({ tools: [inside('a'), inside('b'), ...many(1)] })).toBe(refusal(41));
    expect(errorOf({ tools: [inside('a'), inside('b'), { type: 'web_search' }] })).toBe(refusal(41));
  });

  it('leaves wrong tools to the check of the fields', () => {
    const strange = [null, 'x', 5, [], { name: { toString: 'x' } }, { type: null, tools: [null] }];
    expect(errorOf({ tools: strange, input: [null, 'x', { type: 'additional_tools', tools: 'x' }] })).toBeUndefined();
    expect(errorOf({ tools: 'x', input: 'x' })).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { ChatRequest } from './chat-request.ts';
import { parseRequest } from './fields.ts';
import { toolUseOf } from './tools.ts';

const tool = (name: string, more: object = {}) => ({ type: 'function' as const, function: { name }, ...more });

describe('the tools that a prompt describes', () => {
  const [plain, first, second] = [tool('plain'), tool('first'), tool('second')];
  const deferredTools = new Set(['first', 'second']);
  const named = (name: string) => ({ type: 'function' as const, function: { name } });
  const allowed = (...names: string[]) => ({
    type: 'allowed_tools' as const,
    allowed_tools: { mode: 'auto' as const, tools: names.map(named) },
  });

  it.each([
    ['all without deferred ones', [plain], undefined, [plain]],
    ['all but the deferred ones', [first, plain, second], undefined, [plain]],
    ['all but the deferred ones of those that are allowed', [plain, first, second], allowed('plain', 'first'), [plain]],
    ['all if all are deferred', [first, second], undefined, [first, second]],
    ['a deferred one that must be called', [plain, first], named('first'), [first]],
  ])('are %s', (_, tools, tool_choice, described) => {
    expect(toolUseOf({ tools, tool_choice, deferredTools })?.described).toStrictEqual(described);
  });

  it('are the same object for the same list and the same deferred tools', () => {
    const tools = [plain, first, second];
    const describedBut = (...names: string[]) => toolUseOf({ tools, deferredTools: new Set(names) })?.described;
    const once = describedBut('first');
    expect(once).toEqual([plain, second]);
    expect(describedBut('first', 'other')).toBe(once);
    expect(describedBut('second')).toEqual([plain, first]);
    expect(describedBut('other')).toBe(tools);
  });
});

it('a chat cannot defer its tools: its deferral is ignored and named', () => {
  const messages = [{ role: 'user', content: 'Hi' }];
  const tools = [
    tool('plain'),
    tool('first', { defer_loading: true, note: 1 }),
    tool('second', { defer_loading: false }),
    tool('third', { defer_loading: null }),
  ];
  const body = { model: 'm', messages, tools, deferredTools: ['plain'] };
  const { request, ignoredFields, strictError } = parseRequest(ChatRequest, body);
  const plainTools = [tool('plain'), tool('first', { note: 1 }), tool('second'), tool('third')];
  expect(request).toStrictEqual({ model: 'm', messages, tools: plainTools });
  expect(ignoredFields).toEqual(['deferredTools', 'tools[1].defer_loading']);
  expect(toolUseOf(request)?.described).toStrictEqual(plainTools);
  expect(strictError?.code).toBe('unknown_field');
  expect(parseRequest(ChatRequest, { model: 'm', messages, tools }).strictError?.message).toBe(
    'tools[1].defer_loading: tool search is not supported; the model gets all tools.',
  );
});

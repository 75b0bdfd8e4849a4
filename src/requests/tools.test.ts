import { describe, expect, it } from 'vitest';
import { toolUseOf } from './tools.ts';

describe('the tools that a prompt describes', () => {
  const tool = (name: string, more: object = {}) => ({ type: 'function', function: { name }, ...more });
  const [plain, first, second] = [
    tool('plain'),
    tool('first', { defer_loading: true }),
    tool('second', { defer_loading: true }),
  ];
  const named = (name: string) => ({ type: 'function' as const, function: { name } });
  const allowed = (...names: string[]) => ({
    type: 'allowed_tools' as const,
    allowed_tools: { mode: 'auto' as const, tools: names.map(named) },
  });

  it.each([
    ['all without deferred ones', [plain], undefined, [plain]],
    ['all but the deferred ones', [first, plain, second], undefined, [plain]],
    ['all but the deferred ones of those that are allowed', [plain, first, second], allowed('plain', 'first'), [plain]],
    ['all if all are deferred', [first, second], undefined, [tool('first'), tool('second')]],
    ['a deferred one that must be called', [plain, first], named('first'), [tool('first')]],
  ])('are %s', (_, tools, tool_choice, described) => {
    const use = toolUseOf({ tools, tool_choice } as Parameters<typeof toolUseOf>[0]);
    expect(use?.described).toStrictEqual(described);
  });
});

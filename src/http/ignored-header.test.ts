import { expect, it } from 'vitest';
import { ignoredHeader, mostNamed } from './ignored-header.ts';

it('names each field', () => {
  expect(ignoredHeader(['foo', 'chat_template_kwargs.bar', 'tools[2].format'])).toBe(
    'foo, chat_template_kwargs.bar, tools[2].format',
  );
});

it('writes what a header cannot carry as percent codes', () => {
  expect(ignoredHeader(['a b', 'ü', 'x,\r\ny', '\ud800'])).toBe('a%20b, %C3%BC, x%2C%0D%0Ay, %EF%BF%BD');
});

it('stays short, and says that there are more', () => {
  const names = Array.from({ length: mostNamed + 1 }, (_, number) => `${number}${'x'.repeat(100)}`);
  const header = ignoredHeader(names);
  expect(header.split(', ')).toHaveLength(mostNamed + 1);
  expect(header.startsWith(`0${'x'.repeat(63)}, 1x`)).toBe(true);
  expect(header.endsWith(', ...')).toBe(true);
});

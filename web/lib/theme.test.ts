import { expect, it } from 'vitest';
import { readTheme, themeAfter } from './theme.ts';

it('follows the system until somebody chooses', () => {
  const store = (value: string | null) => readTheme({ getItem: () => value });
  expect([store(null), store('dark'), store('pink')]).toEqual(['auto', 'dark', 'auto']);
  expect([themeAfter('auto'), themeAfter('light'), themeAfter('dark')]).toEqual(['light', 'dark', 'auto']);
});

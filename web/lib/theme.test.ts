import { expect, it } from 'vitest';
import { readTheme, themeAfter } from './theme.ts';

it('follows the system until somebody chooses', () => {
  const kept = (value: string | null) => readTheme({ getItem: () => value });
  expect([kept(null), kept('dark'), kept('pink')]).toEqual(['auto', 'dark', 'auto']);
  expect([themeAfter('auto'), themeAfter('light'), themeAfter('dark')]).toEqual(['light', 'dark', 'auto']);
});

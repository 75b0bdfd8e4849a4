import { browserStorage } from './storage.ts';

/** The colours of the web UI: those of the system (`auto`), or a choice of the user. */
export type Theme = 'auto' | 'light' | 'dark';

const name = 'conch.theme';
const order: readonly Theme[] = ['auto', 'light', 'dark'];

export function readTheme(storage: Pick<Storage, 'getItem'> = browserStorage.storage): Theme {
  const stored = storage.getItem(name);
  return order.find((theme) => theme === stored) ?? 'auto';
}

/** The theme that the switch selects next. */
export function themeAfter(theme: Theme): Theme {
  return order[(order.indexOf(theme) + 1) % order.length] ?? 'auto';
}

export function keepTheme(theme: Theme, storage: Pick<Storage, 'setItem'> = browserStorage.storage): void {
  storage.setItem(name, theme);
}

export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'auto') delete dataset['theme'];
  else dataset['theme'] = theme;
}

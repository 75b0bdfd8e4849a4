import { useEffect, useState } from 'preact/hooks';
import { applyTheme, keepTheme, readTheme, type Theme, themeAfter } from './theme.ts';

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

/** The theme, whether it is dark at the moment, and a function that selects the next one. */
export function useTheme(): { readonly theme: Theme; readonly isDark: boolean; readonly next: () => void } {
  const [theme, setTheme] = useState(readTheme);
  const [isSystemDark, setSystemDark] = useState(systemIsDark.matches);
  useEffect(() => {
    const follow = (): void => setSystemDark(systemIsDark.matches);
    systemIsDark.addEventListener('change', follow);
    return () => systemIsDark.removeEventListener('change', follow);
  }, []);
  const next = (): void => {
    const chosen = themeAfter(theme);
    applyTheme(chosen);
    keepTheme(chosen);
    setTheme(chosen);
  };
  return { theme, isDark: theme === 'auto' ? isSystemDark : theme === 'dark', next };
}

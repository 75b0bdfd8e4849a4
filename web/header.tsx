import { useEffect } from 'preact/hooks';
import type { Theme } from './lib/theme.ts';
import type { View } from './lib/use-view.ts';

interface HeaderProps {
  readonly view: View;
  readonly theme: Theme;
  readonly onTheme: () => void;
  readonly onKey: () => void;
}

const views: readonly { readonly view: View; readonly label: string; readonly digit: string }[] = [
  { view: 'playground', label: 'Playground', digit: '1' },
  { view: 'dashboard', label: 'Dashboard', digit: '2' },
];

/** The name of the page, the way between its halves, and what concerns both. */
export function Header({ view, theme, onTheme, onKey }: HeaderProps) {
  useEffect(() => {
    const go = (event: KeyboardEvent): void => {
      const wanted = event.altKey && views.find(({ digit }) => event.code === `Digit${digit}`);
      if (!wanted) return;
      event.preventDefault();
      location.hash = wanted.view;
    };
    addEventListener('keydown', go);
    return () => removeEventListener('keydown', go);
  }, []);
  return (
    <header>
      <h1>Conch</h1>
      <nav aria-label="Views">
        {views.map(({ view: each, label, digit }) => (
          <a
            key={each}
            href={`#${each}`}
            aria-current={each === view ? 'page' : undefined}
            aria-keyshortcuts={`Alt+${digit}`}
            title={`Alt+${digit}`}
          >
            {label}
          </a>
        ))}
      </nav>
      <button type="button" class="small" onClick={onKey}>
        Key
      </button>
      <button type="button" class="small" onClick={onTheme} aria-label={`Colours: ${theme}`} title={`Colours: ${theme}`}>
        <span aria-hidden="true">◐</span> {theme}
      </button>
    </header>
  );
}

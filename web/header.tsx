import type { Theme } from './lib/theme.ts';
import type { View } from './lib/use-view.ts';

interface HeaderProps {
  readonly view: View;
  readonly theme: Theme;
  readonly onTheme: () => void;
  readonly onKey: () => void;
}

const views: readonly { readonly view: View; readonly label: string }[] = [
  { view: 'playground', label: 'Playground' },
  { view: 'dashboard', label: 'Dashboard' },
];

/** The name of the page, the way between its halves, and what concerns both. */
export function Header({ view, theme, onTheme, onKey }: HeaderProps) {
  return (
    <header>
      <h1>Conch</h1>
      <nav aria-label="Parts">
        {views.map(({ view: each, label }) => (
          <a key={each} href={`#${each}`} aria-current={each === view ? 'page' : undefined}>
            {label}
          </a>
        ))}
        {/* Beside the page, so that an answer goes on */}
        <a href="docs" target="_blank" rel="noopener">
          API
        </a>
      </nav>
      <button type="button" class="small" onClick={onKey}>
        Key
      </button>
      <button
        type="button"
        class="small"
        onClick={onTheme}
        aria-label={`Colours: ${theme}`}
        title={`Colours: ${theme}`}
      >
        <span aria-hidden="true">◐</span> <span class="theme-name">{theme}</span>
      </button>
    </header>
  );
}

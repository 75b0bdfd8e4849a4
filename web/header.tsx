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

/** Product name, navigation, API key and theme. */
export function Header({ view, theme, onTheme, onKey }: HeaderProps) {
  return (
    <header>
      <h1>Conch</h1>
      <nav aria-label="Main">
        {views.map(({ view: each, label }) => (
          <a key={each} href={`#${each}`} aria-current={each === view ? 'page' : undefined}>
            {label}
          </a>
        ))}
        {/* In a new tab, so that a running response continues */}
        <a href="docs" target="_blank" rel="noopener">
          API
        </a>
      </nav>
      <button type="button" class="small" title="Set the API key" onClick={onKey}>
        Key
      </button>
      <button type="button" class="small" onClick={onTheme} aria-label={`Theme: ${theme}`} title={`Theme: ${theme}`}>
        <span aria-hidden="true">◐</span> <span class="theme-name">{theme}</span>
      </button>
    </header>
  );
}

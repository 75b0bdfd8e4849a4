import type { ComponentType } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Playground } from './chat/playground.tsx';
import type { DashboardProps } from './dashboard/dashboard.tsx';
import { Header } from './header.tsx';
import { openApi } from './lib/api.ts';
import type { Fault } from './lib/fault.ts';
import { KeyDialog } from './lib/key-dialog.tsx';
import { keepKey, readKey } from './lib/session-key.ts';
import { useTheme } from './lib/use-theme.ts';
import { useView, type View } from './lib/use-view.ts';

/** The whole page. */
export function App() {
  const view = useView();
  const { theme, isDark, next } = useTheme();
  const [key, setKey] = useState(readKey);
  const [reason, setReason] = useState<string>();
  const { Dashboard, isMissing } = useDashboard(view);
  // Whoever will not give a key is not asked over and over by what the page looks up by itself.
  const hasDeclined = useRef(false);
  const onRefusedKey = useCallback(
    ({ message }: Fault, isOrder: boolean) => {
      if (isOrder || !hasDeclined.current) setReason(key === undefined ? 'This server asks for a key.' : message);
    },
    [key],
  );
  const api = useMemo(() => openApi({ key, onRefusedKey }), [key, onRefusedKey]);
  const changeKey = (given: string | undefined): void => {
    hasDeclined.current = false;
    keepKey(given);
    setKey(given);
    setReason(undefined);
  };
  const closeDialog = (): void => {
    hasDeclined.current = true;
    setReason(undefined);
  };
  return (
    <>
      <Header
        view={view}
        theme={theme}
        onTheme={next}
        onKey={() => setReason('All requests of this tab bring the key that is given here.')}
      />
      <main>
        <div hidden={view !== 'playground'} class="view">
          <Playground api={api} isShown={view === 'playground'} />
        </div>
        {view === 'dashboard' && Dashboard && <Dashboard api={api} isDark={isDark} />}
        {view === 'dashboard' && isMissing && (
          <p class="notice" role="alert">
            The server does not have this part of the page, or it does not answer. Reload the page when it does.
          </p>
        )}
      </main>
      {reason !== undefined && (
        <KeyDialog reason={reason} hasKey={key !== undefined} onKey={changeKey} onClose={closeDialog} />
      )}
    </>
  );
}

interface Fetched {
  readonly Dashboard: ComponentType<DashboardProps> | undefined;
  readonly isMissing: boolean;
}

/** The dashboard with its charts, fetched behind the first view: it is there even where the server then goes away. */
function useDashboard(view: View): Fetched {
  const [fetched, setFetched] = useState<Fetched>({ Dashboard: undefined, isMissing: false });
  useEffect(() => {
    if (fetched.Dashboard) return;
    void import('./dashboard/dashboard.tsx').then(
      ({ Dashboard }) => setFetched({ Dashboard, isMissing: false }),
      () => setFetched({ Dashboard: undefined, isMissing: true }),
    );
  }, [view]);
  return fetched;
}

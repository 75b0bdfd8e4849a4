import type { ComponentType } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Playground } from './chat/playground.tsx';
import type { DashboardProps } from './dashboard/dashboard.tsx';
import { Header } from './header.tsx';
import { openApi } from './lib/api.ts';
import { KeyDialog } from './lib/key-dialog.tsx';
import type { RequestError } from './lib/request-error.ts';
import { keepKey, readKey } from './lib/session-key.ts';
import { useTheme } from './lib/use-theme.ts';
import { useView, type View } from './lib/use-view.ts';

/** The web UI. */
export function App() {
  const view = useView();
  const { theme, isDark, next } = useTheme();
  const [key, setKey] = useState(readKey);
  const [reason, setReason] = useState<string>();
  const { Dashboard, isMissing } = useDashboard(view);
  // After the user dismissed the dialog, background polls do not open it again.
  const hasDeclined = useRef(false);
  const onRefusedKey = useCallback(
    ({ message }: RequestError, isOrder: boolean) => {
      if (isOrder || !hasDeclined.current) setReason(key === undefined ? 'This server requires an API key.' : message);
    },
    [key],
  );
  const api = useMemo(() => openApi({ key, onRefusedKey }), [key, onRefusedKey]);
  const changeKey = (newKey: string | undefined): void => {
    hasDeclined.current = false;
    keepKey(newKey);
    setKey(newKey);
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
        onKey={() => setReason('All requests from this tab send this API key.')}
      />
      <main>
        <div hidden={view !== 'playground'} class="view">
          <Playground api={api} isVisible={view === 'playground'} />
        </div>
        {view === 'dashboard' && Dashboard && <Dashboard api={api} isDark={isDark} />}
        {view === 'dashboard' && isMissing && (
          <p class="notice" role="alert">
            The dashboard could not be loaded: the server is unreachable or runs another version. Reload to try again.
          </p>
        )}
      </main>
      {reason !== undefined && (
        <KeyDialog reason={reason} hasKey={key !== undefined} onKey={changeKey} onClose={closeDialog} />
      )}
    </>
  );
}

interface DashboardState {
  readonly Dashboard: ComponentType<DashboardProps> | undefined;
  readonly isMissing: boolean;
}

/** The dashboard with its charts, loaded after the first view, so that it works even if the server stops later. */
function useDashboard(view: View): DashboardState {
  const [fetched, setFetched] = useState<DashboardState>({ Dashboard: undefined, isMissing: false });
  useEffect(() => {
    if (fetched.Dashboard) return;
    void import('./dashboard/dashboard.tsx').then(
      ({ Dashboard }) => setFetched({ Dashboard, isMissing: false }),
      () => setFetched({ Dashboard: undefined, isMissing: true }),
    );
  }, [view]);
  return fetched;
}

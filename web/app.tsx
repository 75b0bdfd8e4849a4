import type { ComponentType } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { Playground } from './chat/playground.tsx';
import type { DashboardProps } from './dashboard/dashboard.tsx';
import { Header } from './header.tsx';
import { openApi } from './lib/api.ts';
import type { Fault } from './lib/fault.ts';
import { KeyDialog } from './lib/key-dialog.tsx';
import { keepKey, readKey } from './lib/session-key.ts';
import { useTheme } from './lib/use-theme.ts';
import { useView } from './lib/use-view.ts';

/** The whole page. */
export function App() {
  const view = useView();
  const { theme, isDark, next } = useTheme();
  const [key, setKey] = useState(readKey);
  const [reason, setReason] = useState<string>();
  const Dashboard = useDashboard(view === 'dashboard');
  const onRefusedKey = useCallback(
    ({ message }: Fault) => setReason(key === undefined ? 'This server asks for a key.' : message),
    [key],
  );
  const api = useMemo(() => openApi({ key, onRefusedKey }), [key, onRefusedKey]);
  const changeKey = (given: string | undefined): void => {
    keepKey(given);
    setKey(given);
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
        {view === 'dashboard' && (Dashboard ? <Dashboard api={api} isDark={isDark} /> : <p role="status">Loading …</p>)}
      </main>
      {reason !== undefined && (
        <KeyDialog reason={reason} hasKey={key !== undefined} onKey={changeKey} onClose={() => setReason(undefined)} />
      )}
    </>
  );
}

/** The dashboard, whose charts are fetched when somebody looks at it. */
function useDashboard(isWanted: boolean): ComponentType<DashboardProps> | undefined {
  const [found, setFound] = useState<{ readonly Dashboard: ComponentType<DashboardProps> }>();
  useEffect(() => {
    if (isWanted) void import('./dashboard/dashboard.tsx').then(setFound);
  }, [isWanted]);
  return found?.Dashboard;
}

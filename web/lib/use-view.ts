import { useEffect, useState } from 'preact/hooks';

/** The two views of the web UI. */
export type View = 'playground' | 'dashboard';

function currentView(): View {
  return location.hash === '#dashboard' ? 'dashboard' : 'playground';
}

/** The view that the URL fragment names. */
export function useView(): View {
  const [view, setView] = useState(currentView);
  useEffect(() => {
    const follow = (): void => setView(currentView());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return view;
}

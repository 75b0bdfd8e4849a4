import { useEffect, useState } from 'preact/hooks';

/** The two halves of the page. */
export type View = 'playground' | 'dashboard';

function shown(): View {
  return location.hash === '#dashboard' ? 'dashboard' : 'playground';
}

/** The half that the address names. */
export function useView(): View {
  const [view, setView] = useState(shown);
  useEffect(() => {
    const follow = (): void => setView(shown());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return view;
}

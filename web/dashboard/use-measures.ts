import { useCallback, useRef, useState } from 'preact/hooks';
import type { Api } from '../lib/api.ts';
import { isAbort, messageOf } from '../lib/request-error.ts';
import { type Counts, countsOf, type Measures, measuresBetween } from './measures.ts';
import { usePolling } from './use-polling.ts';

const pause = 2_000;
/** Four minutes of measurements. */
const most = 120;

/** Metrics of the server since the dashboard was opened. */
export function useMeasures(api: Api): {
  readonly measures: readonly Measures[];
  readonly errorText: string | undefined;
} {
  const [measures, setMeasures] = useState<readonly Measures[]>([]);
  const [errorText, setErrorText] = useState<string>();
  const last = useRef<Counts>(null);
  const refresh = useCallback(
    async (signal: AbortSignal) => {
      try {
        const response = await api.send('metrics', { signal });
        const counts = countsOf(await response.text(), Date.now());
        const before = last.current;
        if (before) setMeasures((known) => [...known.slice(1 - most), measuresBetween(before, counts)]);
        last.current = counts;
        setErrorText(undefined);
      } catch (error) {
        if (!isAbort(error)) setErrorText(messageOf(error));
      }
    },
    [api],
  );
  usePolling(refresh, pause);
  return { measures, errorText };
}

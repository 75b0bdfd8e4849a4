import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Api } from '../lib/api.ts';
import { Fault, faultText } from '../lib/fault.ts';
import { chatModels, type Model } from '../lib/models.ts';

interface Models {
  /** The chat models; undefined until they are known. */
  readonly models: readonly Model[] | undefined;
  readonly fault: string | undefined;
  readonly reload: () => void;
}

/** Milliseconds before the next request if the server is unreachable or has no models yet. */
const pause = 3_000;

/** The models of the server, requested again for each key and each time the playground is shown. */
export function useModels(api: Api, isShown: boolean): Models {
  const [models, setModels] = useState<readonly Model[]>();
  const [fault, setFault] = useState<unknown>();
  const reload = useCallback(() => {
    api.json<{ readonly data: readonly Model[] }>('v1/models').then(
      ({ data }) => {
        setModels(chatModels(data));
        setFault(undefined);
      },
      (error: unknown) => setFault(error),
    );
  }, [api]);
  useEffect(() => {
    if (isShown) reload();
  }, [isShown, reload]);
  useEffect(() => {
    const isAway = fault instanceof Fault && fault.status === 0;
    const isEmpty = fault === undefined && models?.length === 0;
    if (!isShown || !(isAway || isEmpty)) return undefined;
    const timer = setTimeout(reload, pause);
    return () => clearTimeout(timer);
  }, [isShown, models, fault, reload]);
  return { models, fault: fault === undefined ? undefined : faultText(fault), reload };
}

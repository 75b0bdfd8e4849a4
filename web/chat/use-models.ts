import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Api } from '../lib/api.ts';
import { chatModels, type Model } from '../lib/models.ts';
import { messageOf, RequestError } from '../lib/request-error.ts';

interface Models {
  /** The chat models; undefined until they are known. */
  readonly models: readonly Model[] | undefined;
  readonly errorText: string | undefined;
  readonly reload: () => void;
}

/** Milliseconds before the next request if the server is unreachable or has no models yet. */
const pause = 3_000;

/** The models of the server, requested again for each key and each time the playground is shown. */
export function useModels(api: Api, isVisible: boolean): Models {
  const [models, setModels] = useState<readonly Model[]>();
  const [failure, setFailure] = useState<unknown>();
  const reload = useCallback(() => {
    api.json<{ readonly data: readonly Model[] }>('v1/models').then(
      ({ data }) => {
        setModels(chatModels(data));
        setFailure(undefined);
      },
      (error: unknown) => setFailure(error),
    );
  }, [api]);
  useEffect(() => {
    if (isVisible) reload();
  }, [isVisible, reload]);
  useEffect(() => {
    const isAway = failure instanceof RequestError && failure.status === 0;
    const isEmpty = failure === undefined && models?.length === 0;
    if (!isVisible || !(isAway || isEmpty)) return undefined;
    const timer = setTimeout(reload, pause);
    return () => clearTimeout(timer);
  }, [isVisible, models, failure, reload]);
  return { models, errorText: failure === undefined ? undefined : messageOf(failure), reload };
}

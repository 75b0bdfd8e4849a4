import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Api } from '../lib/api.ts';
import { faultText } from '../lib/fault.ts';
import { chatModels, type Model } from '../lib/models.ts';

interface Models {
  /** Those that chat; undefined until they are known. */
  readonly models: readonly Model[] | undefined;
  readonly fault: string | undefined;
  readonly reload: () => void;
}

/** The models of the server, asked for again with each key and each time the playground is shown. */
export function useModels(api: Api, isShown: boolean): Models {
  const [models, setModels] = useState<readonly Model[]>();
  const [fault, setFault] = useState<string>();
  const reload = useCallback(() => {
    api.json<{ readonly data: readonly Model[] }>('v1/models').then(
      ({ data }) => {
        setModels(chatModels(data));
        setFault(undefined);
      },
      (error: unknown) => setFault(faultText(error)),
    );
  }, [api]);
  useEffect(() => {
    if (isShown) reload();
  }, [isShown, reload]);
  return { models, fault, reload };
}

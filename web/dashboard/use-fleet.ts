import { useCallback, useState } from 'preact/hooks';
import type { Api } from '../lib/api.ts';
import type { Model } from '../lib/models.ts';
import { isAbort, messageOf } from '../lib/request-error.ts';
import type { Server } from './model-rows.ts';
import { usePolling } from './use-polling.ts';

const pause = 3_000;

/** The models and the upstream servers. */
export interface Fleet {
  readonly models: readonly Model[];
  readonly servers: readonly Server[];
  readonly errorText: string | undefined;
  /** The outcome of the last load or unload. */
  readonly outcome: string;
  /** The model that is being loaded or unloaded. */
  readonly busy: string | undefined;
  readonly give: (order: 'load' | 'unload', model: string) => void;
}

interface List<T> {
  readonly data: readonly T[];
}

/** Polls the models and servers. */
export function useFleet(api: Api): Fleet {
  const [models, setModels] = useState<readonly Model[]>([]);
  const [servers, setServers] = useState<readonly Server[]>([]);
  const [errorText, setErrorText] = useState<string>();
  const [outcome, setOutcome] = useState('');
  const [busy, setBusy] = useState<string>();
  const refresh = useCallback(
    async (signal?: AbortSignal) => {
      const options = signal === undefined ? {} : { signal };
      try {
        const [found, known] = await Promise.all([
          api.json<List<Model>>('v1/models', options),
          api.json<List<Server>>('v1/servers', options),
        ]);
        setModels(found.data);
        setServers(known.data);
        setErrorText(undefined);
      } catch (error) {
        if (!isAbort(error)) setErrorText(messageOf(error));
      }
    },
    [api],
  );
  usePolling(refresh, pause);
  const give: Fleet['give'] = (order, model) => {
    setBusy(model);
    setOutcome(`${order === 'load' ? 'Loading' : 'Unloading'} ${model}…`);
    // Slashes in a name are not escaped in the path.
    const path = `v1/models/${model.split('/').map(encodeURIComponent).join('/')}/${order}`;
    void api
      .send(path, { method: 'POST' })
      .then(
        () => `${model} is ${order === 'load' ? 'loaded' : 'unloaded'}.`,
        (error: unknown) => messageOf(error),
      )
      .then(async (text) => {
        await refresh();
        setOutcome(text);
        setBusy(undefined);
      });
  };
  return { models, servers, errorText, outcome, busy, give };
}

import type { Model } from '../lib/models.ts';

/** A server of /v1/servers, with the fields that the dashboard shows. */
export interface Server {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly running: number;
  readonly requests: number;
  readonly failures: number;
  readonly first_response_ms: number | null;
  readonly last_error: { readonly message: string; readonly code: string } | null;
  readonly models: readonly { readonly name: string; readonly state: string }[];
}

/** One row of the table of models. */
export interface ModelRow {
  readonly name: string;
  /** Its contract, or `embedded`; empty if it is not served. */
  readonly kind: string;
  readonly context: number | undefined;
  readonly abilities: readonly string[];
  /** Its state on each server that has it. */
  readonly states: readonly { readonly server: string; readonly state: string }[];
  /** The action that is available; an alias has none, because its model is loaded and unloaded. */
  readonly order: 'load' | 'unload' | undefined;
}

const visibleAbilities: readonly string[] = [
  'chat',
  'completion',
  'tools',
  'reasoning',
  'images',
  'embedding',
  'rerank',
  'classify',
];

/** All models that are served or that a server can load. */
export function modelRows(models: readonly Model[], servers: readonly Server[]): readonly ModelRow[] {
  const served = new Map(models.map((model) => [model.id, model]));
  const names = [...served.keys(), ...servers.flatMap((server) => server.models.map(({ name }) => name))];
  return [...new Set(names)].toSorted().map((name) => {
    const model = served.get(name);
    const root = model?.root ?? name;
    const owners = servers.filter((server) => server.models.some((each) => each.name === root));
    const states = owners.flatMap((server) =>
      server.models.filter((each) => each.name === root).map(({ state }) => ({ server: server.id, state })),
    );
    const isEmbedded = owners.length > 0 && owners.every(({ kind }) => kind === 'embedded');
    const isLoaded = states.some(({ state }) => state === 'READY');
    return {
      name,
      // The embedded engine uses the contract of vLLM, which would confuse users.
      kind: model?.contract !== undefined && isEmbedded ? 'embedded' : (model?.contract ?? ''),
      context: model?.max_model_len ?? undefined,
      abilities: visibleAbilities.filter((ability) => model?.capabilities?.[ability] === true),
      states,
      order: root !== name || states.length === 0 ? undefined : isLoaded ? 'unload' : 'load',
    };
  });
}

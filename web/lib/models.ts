/** A model of /v1/models. */
export interface Model {
  readonly id: string;
  readonly root?: string;
  readonly contract?: string;
  readonly max_model_len?: number | null;
  /** Set only for models that are not served. */
  readonly state?: string;
  readonly capabilities?: Readonly<Record<string, boolean>>;
}

/** The models that the playground offers: chat models, and unloaded ones that are loaded on demand. */
export function chatModels(models: readonly Model[]): readonly Model[] {
  return models.filter(({ capabilities, state }) => capabilities?.['chat'] === true || state === 'unloaded');
}

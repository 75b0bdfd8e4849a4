/** A model as /v1/models tells it. */
export interface Model {
  readonly id: string;
  readonly root?: string;
  readonly contract?: string;
  readonly max_model_len?: number | null;
  /** Only of models that are not served by now. */
  readonly state?: string;
  readonly capabilities?: Readonly<Record<string, boolean>>;
}

/** The models that the playground offers: what chats, and what would after it was loaded on demand. */
export function chatModels(models: readonly Model[]): readonly Model[] {
  return models.filter(({ capabilities, state }) => capabilities?.['chat'] === true || state === 'unloaded');
}

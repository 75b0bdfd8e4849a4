import type { ControlCalls, ControlMethod, ModelIndexEntry, ModelMetadata } from '../../kserve/messages.ts';
import { configOfMetadata } from '../../kserve/metadata-config.ts';
import type { CallOptions } from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';

/** Makes a control call. */
type Caller = <Method extends ControlMethod>(
  method: Method,
  request: ControlCalls[Method]['request'],
  options: CallOptions,
) => Promise<ControlCalls[Method]['response']>;

/**
 * Triton's calls on any KServe server. Some servers lack the model index and model configurations: Conch makes them from
 * the calls of the standard, ModelReady and ModelMetadata.
 */
export class KserveCalls {
  readonly #call: Caller;
  readonly #names: () => readonly string[];

  /** `names` are the models that the server may have. */
  constructor(call: Caller, names: () => readonly string[]) {
    this.#call = call;
    this.#names = names;
  }

  /** Makes a call. If the server does not implement it, the response is made from other calls. */
  async call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
    options: CallOptions,
  ): Promise<ControlCalls[Method]['response']> {
    try {
      const response = await this.#call(method, request, options);
      return corrections[method]?.(response) ?? response;
    } catch (error) {
      const replacement = this.#replacements[method];
      // Triton rejects the name of a repository with the same code, although it has the call.
      const namesRepository = 'repository_name' in request && Boolean(request.repository_name);
      if (!replacement || namesRepository || !isMissing(error)) throw error;
      return replacement(request, options);
    }
  }

  readonly #replacements: Replacements = {
    RepositoryIndex: async ({ ready = false }, options) => {
      const rows = await this.#index(options);
      return { models: ready ? rows.filter(({ state }) => state === 'READY') : rows };
    },
    ModelConfig: async (request, options) => ({
      config: configOfMetadata(await this.#call('ModelMetadata', request, options)),
    }),
  };

  async #index(options: CallOptions): Promise<ModelIndexEntry[]> {
    const names = this.#names();
    if (names.length === 0)
      throw new StatusError(
        'UNIMPLEMENTED',
        'The server has no model index (RepositoryIndex), so its models must be set. Set --triton-model NAME for each.',
      );
    const rows = await Promise.all(names.map((name) => this.#row(name, options)));
    return rows.flatMap((row) => row ?? []);
  }

  /** The row of a model in the index; undefined if the server does not have it. */
  async #row(name: string, options: CallOptions): Promise<ModelIndexEntry | undefined> {
    const [isReady, metadata] = await Promise.all([this.#isReady(name, options), this.#metadata(name, options)]);
    const version = metadata?.versions.toSorted((a, b) => Number(a) - Number(b)).at(-1) ?? '';
    if (isReady) return { name, version, state: 'READY', reason: '' };
    // Many servers report a model that they do not have as not ready.
    return metadata && { name, version, state: 'UNAVAILABLE', reason: 'the server reports that it is not ready' };
  }

  async #isReady(name: string, options: CallOptions): Promise<boolean> {
    try {
      return (await this.#call('ModelReady', { name, version: '' }, options)).ready;
    } catch (error) {
      if (isMissing(error))
        throw new StatusError(
          'UNIMPLEMENTED',
          'The server implements neither RepositoryIndex nor ModelReady. Set --triton to the gRPC port of a KServe v2 server.',
          { cause: error },
        );
      if (isAboutModel(error)) return false;
      throw error;
    }
  }

  async #metadata(name: string, options: CallOptions): Promise<ModelMetadata | undefined> {
    try {
      return await this.#call('ModelMetadata', { name, version: '' }, options);
    } catch (error) {
      if (isMissing(error) || isAboutModel(error)) return undefined;
      throw error;
    }
  }
}

type Replacement<Method extends ControlMethod> = (
  request: ControlCalls[Method]['request'],
  options: CallOptions,
) => Promise<ControlCalls[Method]['response']>;

type Replacements = { readonly [Method in ControlMethod]?: Replacement<Method> };

type Correction<Method extends ControlMethod> = (
  response: ControlCalls[Method]['response'],
) => ControlCalls[Method]['response'];

/** Responses of other servers as Triton would send them. */
const corrections: { readonly [Method in ControlMethod]?: Correction<Method> } = {
  // MLServer writes the name of the Python type before the state.
  RepositoryIndex: ({ models }) => ({
    models: models.map((row) => ({ ...row, state: row.state.replace(/^State\./, '') })),
  }),
};

function isMissing(error: unknown): boolean {
  return error instanceof StatusError && error.code === 'UNIMPLEMENTED';
}

/** Whether the server responded that it cannot say this about the model: other failures concern the server. */
function isAboutModel(error: unknown): boolean {
  const codes = ['NOT_FOUND', 'INVALID_ARGUMENT', 'FAILED_PRECONDITION', 'INTERNAL', 'UNKNOWN'];
  return error instanceof StatusError && !error.unreachable && codes.includes(error.code);
}

import { ApiError } from '../errors.ts';
import { isBeingMade, type ResponseBody, type StorableResponse } from './growing-response.ts';
import type { ResponseStore, StoredResponse } from './store/response-store.ts';

/** Options of a ResponseKeeper. */
export interface KeeperOptions {
  /** Opens the store at first use; undefined with `--store none`. */
  readonly store: (() => Promise<ResponseStore>) | undefined;
  /** Called when a response could not be stored. */
  readonly onError: (error: unknown) => void;
}

/** Stores responses for later requests. Each owner sees only its own. */
export class ResponseKeeper {
  readonly #options: KeeperOptions;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  get keeps(): boolean {
    return this.#options.store !== undefined;
  }

  /** Stores a complete response. If the store fails, the request still succeeds, with `store: false` in its response. */
  async keep(growing: StorableResponse, record: Pick<StoredResponse, 'owner' | 'input'>): Promise<void> {
    try {
      await this.save(growing.response(), record);
    } catch (error) {
      this.#options.onError(error);
      growing.forget();
    }
  }

  async save(response: ResponseBody, { owner, input }: Pick<StoredResponse, 'owner' | 'input'>): Promise<void> {
    const { id, created_at: created, previous_response_id: previousId } = response;
    await (await this.#store()).save({ id, owner, created, previousId, response: { ...response }, input });
  }

  async find(owner: string, id: string): Promise<StoredResponse> {
    const found = await this.peek(owner, id);
    if (!found) throw unknownResponse(id);
    return found;
  }

  /** The same, but undefined if it is not stored. */
  async peek(owner: string, id: string): Promise<StoredResponse | undefined> {
    return this.keeps ? (await this.#store()).find(owner, id) : undefined;
  }

  /** The responses that a request continues, first one first. */
  async conversation(owner: string, id: string): Promise<readonly StoredResponse[]> {
    const param = 'previous_response_id';
    if (!this.keeps)
      throw new ApiError(
        'unsupported_parameter',
        `${param} is not supported: this server does not store responses (--store none).`,
        { param },
      );
    const found = await (await this.#store()).conversation(owner, id);
    const isOpen = isBeingMade(found?.at(-1)?.response['status']);
    if (isOpen)
      throw new ApiError(
        'invalid_request',
        `${param}: response ${JSON.stringify(id)} is not complete yet. Wait until its status is completed.`,
        { param },
      );
    if (found) return found;
    const message =
      `${param}: response ${JSON.stringify(id)} not found. It or an earlier response of the conversation is not stored, ` +
      'or the conversation is too long.';
    throw new ApiError('previous_response_not_found', message, { param });
  }

  async delete(owner: string, id: string): Promise<void> {
    const wasThere = this.keeps && (await (await this.#store()).delete(owner, id));
    if (!wasThere) throw unknownResponse(id);
  }

  async #store(): Promise<ResponseStore> {
    if (!this.#options.store) throw new Error('There is no store (--store none).');
    try {
      return await this.#options.store();
    } catch (error) {
      const message = 'Stored responses are unavailable at the moment. See the server log for details.';
      throw new ApiError('store_unavailable', message, { cause: error });
    }
  }
}

function unknownResponse(id: string): ApiError {
  return new ApiError('not_found', `Response ${JSON.stringify(id)} not found.`);
}

import { ApiError } from '../errors.ts';
import { isBeingMade, type ResponseBody, type StorableResponse } from './growing-response.ts';
import type { ResponseStore, StoredResponse } from './store/response-store.ts';

/** What keeps responses, where something does. */
export interface KeeperOptions {
  /** Opens the store at first use; undefined where nothing is kept. */
  readonly store: (() => Promise<ResponseStore>) | undefined;
  /** Is told why a response could not be kept. */
  readonly onFault: (error: unknown) => void;
}

/** Keeps responses for the requests that come after them; each owner sees its own alone. */
export class ResponseKeeper {
  readonly #options: KeeperOptions;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  get keeps(): boolean {
    return this.#options.store !== undefined;
  }

  /** Keeps a response that is complete. The answer does not fail with the store: it says that it was not kept. */
  async keep(growing: StorableResponse, place: Pick<StoredResponse, 'owner' | 'input'>): Promise<void> {
    try {
      await this.save(growing.response(), place);
    } catch (error) {
      this.#options.onFault(error);
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

  /** The same, undefined where it is not kept. */
  async peek(owner: string, id: string): Promise<StoredResponse | undefined> {
    return this.keeps ? (await this.#store()).find(owner, id) : undefined;
  }

  /** The responses that a request goes on from, the first one first. */
  async conversation(owner: string, id: string): Promise<readonly StoredResponse[]> {
    const param = 'previous_response_id';
    if (!this.keeps)
      throw new ApiError('unsupported_parameter', `${param}: no responses are kept here (--store none).`, { param });
    const found = await (await this.#store()).conversation(owner, id);
    const isOpen = isBeingMade(found?.at(-1)?.response['status']);
    if (isOpen) throw new ApiError('invalid_request', `${param}: that response is not complete yet.`, { param });
    if (found) return found;
    const message =
      `${param}: no response ${JSON.stringify(id)} is kept here, one before it is gone, ` +
      'or the conversation is too long to be read.';
    throw new ApiError('previous_response_not_found', message, { param });
  }

  async delete(owner: string, id: string): Promise<void> {
    const wasThere = this.keeps && (await (await this.#store()).delete(owner, id));
    if (!wasThere) throw unknownResponse(id);
  }

  async #store(): Promise<ResponseStore> {
    if (!this.#options.store) throw new Error('No responses are kept.');
    try {
      return await this.#options.store();
    } catch (error) {
      const message = 'Stored responses cannot be read at the moment. The log has the details.';
      throw new ApiError('store_unavailable', message, { cause: error });
    }
  }
}

function unknownResponse(id: string): ApiError {
  return new ApiError('not_found', `There is no response ${JSON.stringify(id)}.`);
}

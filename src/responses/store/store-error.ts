import { ApiError } from '../../errors.ts';

/** Why a store cannot be used, in words for the person who runs Conch: it names the place and what to do. */
export class StoreError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StoreError';
  }
}

const messages = {
  save: 'The response could not be stored. The log has the details.',
  read: 'Stored responses cannot be read at the moment. The log has the details.',
  delete: 'The response could not be deleted. The log has the details.',
} as const;

/** A fault of the store as the client sees it, without the place. */
export function unavailable(action: keyof typeof messages, cause: unknown): ApiError {
  return new ApiError('store_unavailable', messages[action], { cause });
}

import { ApiError } from '../../errors.ts';

/** A failure of the store; the message is for operators and names the store and what to do. */
export class StoreError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StoreError';
  }
}

const messages = {
  save: 'The response could not be stored. See the server log for details.',
  read: 'Stored responses are unavailable at the moment. See the server log for details.',
  delete: 'The response could not be deleted. See the server log for details.',
} as const;

/** A failure of the store as clients see it, without the address of the store. */
export function unavailable(action: keyof typeof messages, cause: unknown): ApiError {
  return new ApiError('store_unavailable', messages[action], { cause });
}

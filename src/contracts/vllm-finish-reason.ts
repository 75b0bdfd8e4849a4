import { ApiError } from '../errors.ts';
import type { FinishReason } from './contract.ts';

/** The reason of a response that vLLM has ended. Throws for one that failed. */
export function vllmFinishReason(text: string): FinishReason {
  switch (text) {
    case 'length':
      return 'length';
    case 'stop':
    case 'repetition':
      return 'stop';
    default:
      throw new ApiError('backend_error', `The backend ended the generation early (${text}).`);
  }
}

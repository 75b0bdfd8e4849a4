import { StatusError } from '../../kserve/status.ts';

/** The error for shared memory calls if the models run elsewhere. */
export function sharedMemoryRefused(): StatusError {
  return new StatusError(
    'UNIMPLEMENTED',
    'shared memory is not available: the models do not run on this machine. Send the tensors in the request.',
  );
}

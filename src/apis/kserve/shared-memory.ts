import { StatusError } from '../../kserve/status.ts';

/** Why shared memory cannot be registered here. */
export function sharedMemoryRefused(): StatusError {
  return new StatusError(
    'UNIMPLEMENTED',
    'shared memory is not available here: the models do not run on this machine. Send tensors in the request.',
  );
}

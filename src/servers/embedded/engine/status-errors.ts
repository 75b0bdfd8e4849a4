import { StatusError } from '../../../kserve/status.ts';

/** The request is invalid; the message says where. */
export function invalidArgument(message: string): StatusError {
  return new StatusError('INVALID_ARGUMENT', message);
}

/** The caller cancelled the call. */
export function cancelledError(): StatusError {
  return new StatusError('CANCELLED', 'The call was cancelled.');
}

/** The deadline of the call has passed. */
export function timeoutError(timeout: number): StatusError {
  return new StatusError('DEADLINE_EXCEEDED', `No response within ${timeout} ms.`);
}

/** The text of Triton's own queues. */
export function queueFull(): StatusError {
  return new StatusError('UNAVAILABLE', 'Exceeds maximum queue size');
}

/** The engine itself failed; its own error is the cause. */
export function engineFailed(error: unknown): StatusError {
  return error instanceof StatusError
    ? error
    : new StatusError('INTERNAL', 'The engine failed while it processed this request.', { cause: error });
}

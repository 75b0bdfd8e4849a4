import { StatusError } from '../../../kserve/status.ts';

/** The request is at fault, and the text says where. */
export function invalidArgument(message: string): StatusError {
  return new StatusError('INVALID_ARGUMENT', message);
}

/** The caller no longer wants the answer. */
export function cancelled(): StatusError {
  return new StatusError('CANCELLED', 'The call was cancelled.');
}

/** The answer was not there in time. */
export function overdue(timeout: number): StatusError {
  return new StatusError('DEADLINE_EXCEEDED', `No answer within ${timeout} ms.`);
}

/** The text of Triton's own queues. */
export function queueFull(): StatusError {
  return new StatusError('UNAVAILABLE', 'Exceeds maximum queue size');
}

/** The engine itself failed; its own words stay the cause. */
export function engineFailed(error: unknown): StatusError {
  return error instanceof StatusError
    ? error
    : new StatusError('INTERNAL', 'The engine failed while it evaluated this request.', { cause: error });
}

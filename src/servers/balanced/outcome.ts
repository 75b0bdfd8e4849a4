import { failedPart } from '../../kserve/engine-failure.ts';
import { OversizedMessage } from '../../kserve/grpc-frames.ts';
import { StreamError } from '../../kserve/infer-codec.ts';
import { type StatusCode, StatusError } from '../../kserve/status.ts';

/**
 * Who is to blame for a failure. `request`: only the request. `elsewhere`: this server cannot take the request now,
 * which is no failure of it. `unclear`: the error text fits both. `server`: the server, its engine or the connection.
 */
export type Blame = 'request' | 'elsewhere' | 'unclear' | 'server';

const ofRequests: ReadonlySet<StatusCode> = new Set([
  'INVALID_ARGUMENT',
  'OUT_OF_RANGE',
  'FAILED_PRECONDITION',
  'UNIMPLEMENTED',
  'ALREADY_EXISTS',
  'CANCELLED',
]);

const notHere =
  /Exceeds maximum queue size|Request timeout expired|unknown model|has no available versions|is not at ready state/;

/** Who is to blame for a failed inference; `statusOf` is how the contract reads the error text. */
export function blameFor(error: unknown, statusOf?: (error: StatusError) => number | undefined): Blame {
  if (!(error instanceof StatusError) || error instanceof OversizedMessage) return 'request';
  if (error.unreachable || failedPart(error)) return 'server';
  const status = statusOf?.(error);
  if (status === 429 || notHere.test(error.message)) return 'elsewhere';
  if (status !== undefined && status < 500) return 'request';
  // The contract says that the model is not ready.
  if (status === 503) return 'server';
  if (ofRequests.has(error.code)) return 'request';
  if (error.code === 'RESOURCE_EXHAUSTED' || error.code === 'NOT_FOUND') return 'elsewhere';
  // Streams return only an error text. Without the final flag, Triton rejected the request before a model saw it.
  if (error instanceof StreamError) return error.final ? 'unclear' : 'request';
  // Models report INTERNAL also for inputs that they cannot use.
  return error.code === 'UNKNOWN' || error.code === 'INTERNAL' ? 'unclear' : 'server';
}

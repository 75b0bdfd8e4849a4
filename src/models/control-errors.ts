import { vllmMismatch } from '../contracts/vllm-mismatch.ts';
import { ApiError, type ErrorCode } from '../errors.ts';
import { ServerRestarting, StatusError } from '../kserve/status.ts';

/** One server that did not load or unload a model. */
export interface ControlFailure {
  readonly server: string;
  readonly error: unknown;
}

/** Removes from a server's text what clients must not see; the result may be empty. */
export type TextCleaner = (text: string) => string;

/** The error for the client when some servers failed to load or unload a model. */
export function controlError(
  what: string,
  failures: readonly [ControlFailure, ...ControlFailure[]],
  clean: TextCleaner,
): ApiError {
  const details = failures.map(({ server, error }) => ({ server, ...explain(error, clean) }));
  const reasons = details.map(({ server, text }) => `${server}: ${text}`).join('; ');
  return new ApiError(details[0]?.code ?? 'backend_error', `${what}: ${reasons}.`, {
    param: 'model',
    cause: failures[0].error,
  });
}

/** The reason of one server, without a full stop. */
export function failureText(error: unknown, clean: TextCleaner): string {
  return explain(error, clean).text;
}

function explain(error: unknown, clean: TextCleaner): { readonly code: ErrorCode; readonly text: string } {
  if (!(error instanceof StatusError))
    return { code: 'internal_error', text: 'unexpected error, see the log of Conch' };
  const { code, message, unreachable } = error;
  if (message.includes('explicit model load / unload is not allowed'))
    return {
      code: 'invalid_request',
      text: 'loading and unloading models is disabled; start tritonserver with --model-control-mode=explicit',
    };
  if (unreachable || error instanceof ServerRestarting)
    return { code: 'server_unreachable', text: 'unreachable, or the connection was lost' };
  if (code === 'DEADLINE_EXCEEDED') return { code: 'deadline_exceeded', text: 'timed out' };
  const text = vllmMismatch(message) ?? clean(reasonOf(message));
  return { code: 'backend_error', text: text || 'see the log of the server' };
}

/** Triton's message has the state of each version, then a stack trace: the first line has the reason. */
function reasonOf(message: string): string {
  const [, reason = message] = /is at UNAVAILABLE state: (.*)/.exec(message) ?? [];
  return reason.replace(/[.;\s]+$/, '');
}

import { ApiError, type ErrorCode } from '../errors.ts';
import { ServerRestarting, StatusError } from '../kserve/status.ts';

/** One server that did not load or unload a model. */
export interface ControlFailure {
  readonly server: string;
  readonly error: unknown;
}

/** Makes of a server's text what a client may see of it; empty: nothing. */
export type TextCleaner = (text: string) => string;

/** What the client is told when some servers did not do what they were asked to. */
export function controlFault(
  what: string,
  failures: readonly [ControlFailure, ...ControlFailure[]],
  clean: TextCleaner,
): ApiError {
  const told = failures.map(({ server, error }) => ({ server, ...explain(error, clean) }));
  const reasons = told.map(({ server, text }) => `${server}: ${text}`).join('; ');
  return new ApiError(told[0]?.code ?? 'backend_error', `${what}: ${reasons}.`, {
    param: 'model',
    cause: failures[0].error,
  });
}

/** Why one server did not do it, without a full stop. */
export function failureText(error: unknown, clean: TextCleaner): string {
  return explain(error, clean).text;
}

function explain(error: unknown, clean: TextCleaner): { readonly code: ErrorCode; readonly text: string } {
  if (!(error instanceof StatusError)) return { code: 'internal_error', text: 'the log has the reason' };
  const { code, message, unreachable } = error;
  if (message.includes('explicit model load / unload is not allowed'))
    return {
      code: 'invalid_request',
      text: 'it does not load and unload models on request; start it with --model-control-mode=explicit',
    };
  if (unreachable || error instanceof ServerRestarting)
    return { code: 'server_unreachable', text: 'it cannot be reached, or went away meanwhile' };
  if (code === 'DEADLINE_EXCEEDED') return { code: 'deadline_exceeded', text: 'it was not done within the time limit' };
  return { code: 'backend_error', text: clean(reasonOf(message)) || "the server's log has the reason" };
}

/** Triton tells the state of each version, then where in the backend it happened: the first line has the reason. */
function reasonOf(message: string): string {
  const [, reason = message] = /is at UNAVAILABLE state: (.*)/.exec(message) ?? [];
  return reason.replace(/[.;\s]+$/, '');
}

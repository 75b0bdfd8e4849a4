import type { Case } from './cases.ts';
import { type Exchanged, type RawResponse, responsesIn } from './exchange.ts';

/** What is wrong with what an attack brought back; undefined where all is well. */
export function errorOf(attack: Case, { bytes, isOver }: Exchanged): string | undefined {
  if (!isOver) return 'hung';
  try {
    const responses = responsesIn(bytes);
    if (responses.length < attack.answers && !responses.some(({ status }) => status >= 400))
      return `${responses.length} answers instead of ${attack.answers}`;
    return responses.map((response) => responseError(attack, response)).find((error) => error !== undefined);
  } catch (error) {
    return `not an answer: ${(error as Error).message}`;
  }
}

function responseError({ port }: Case, response: RawResponse): string | undefined {
  const { status, headers, body } = response;
  const displayed = `${status} ${body.slice(0, 300)}`;
  if (/unexpected condition/.test(body)) return `unexpected: ${displayed}`;
  if (!headers['x-request-id'] && !headers['content-type']?.startsWith('text/event-stream') && port === 'openai')
    return `no request id: ${displayed}`;
  if (port === 'kserve') return status >= 500 && !isOfTriton(response) ? displayed : undefined;
  if (status === 500 || status === 501) return displayed;
  if (status < 400) return undefined;
  if (!headers['content-type']?.startsWith('application/json')) return `no JSON: ${displayed}`;
  return isError(JSON.parse(body)) ? undefined : `no error: ${displayed}`;
}

/** Triton's own frontend says 500 of JSON that it cannot read; ours says it with its words. */
function isOfTriton({ status, body }: RawResponse): boolean {
  if (status === 501 || status === 503) return true;
  const { error } = JSON.parse(body) as { error?: unknown };
  return typeof error === 'string' && error !== '';
}

function isError(body: unknown): boolean {
  const { error, status, reason } = body as {
    error?: Record<string, unknown> | string;
    status?: unknown;
    reason?: unknown;
  };
  if (status === 'not ready') return typeof reason === 'string';
  // Ollama's faults are texts.
  if (typeof error === 'string') return error !== '';
  // Google's have a status instead of a type.
  return typeof error?.['message'] === 'string' && typeof (error['type'] ?? error['status']) === 'string';
}

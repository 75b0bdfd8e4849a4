import type { Case } from './cases.ts';
import { answersIn, type Exchanged, type RawAnswer } from './exchange.ts';

/** What is wrong with what an attack brought back; undefined where all is well. */
export function faultOf(attack: Case, { bytes, isOver }: Exchanged): string | undefined {
  if (!isOver) return 'hung';
  try {
    const answers = answersIn(bytes);
    if (answers.length < attack.answers && !answers.some(({ status }) => status >= 400))
      return `${answers.length} answers instead of ${attack.answers}`;
    return answers.map((answer) => answerFault(attack, answer)).find((fault) => fault !== undefined);
  } catch (error) {
    return `not an answer: ${(error as Error).message}`;
  }
}

function answerFault({ port }: Case, answer: RawAnswer): string | undefined {
  const { status, headers, body } = answer;
  const shown = `${status} ${body.slice(0, 300)}`;
  if (/unexpected condition/.test(body)) return `unexpected: ${shown}`;
  if (!headers['x-request-id'] && !headers['content-type']?.startsWith('text/event-stream') && port === 'openai')
    return `no request id: ${shown}`;
  if (port === 'kserve') return status >= 500 && !isOfTriton(answer) ? shown : undefined;
  if (status === 500 || status === 501) return shown;
  if (status < 400) return undefined;
  if (!headers['content-type']?.startsWith('application/json')) return `no JSON: ${shown}`;
  return isError(JSON.parse(body)) ? undefined : `no error: ${shown}`;
}

/** Triton's own frontend says 500 of JSON that it cannot read; ours says it with its words. */
function isOfTriton({ status, body }: RawAnswer): boolean {
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
  return typeof error?.['message'] === 'string' && typeof error['type'] === 'string';
}

/** A request that failed: the server rejected it, or is unreachable. */
export class RequestError extends Error {
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** Conch's error code; empty if the response came from something else, for example a proxy. */
  readonly code: string;

  constructor(message: string, { status, code = '' }: { readonly status: number; readonly code?: string }) {
    super(message);
    this.name = 'RequestError';
    this.status = status;
    this.code = code;
  }
}

/** The text that users see for an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether the request was aborted on purpose. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** The error of a response that is not successful. */
export async function errorOf(response: Response): Promise<RequestError> {
  const { status } = response;
  const text = await response.text().catch(() => '');
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown; code?: unknown } };
    if (typeof error?.message === 'string')
      return new RequestError(error.message, { status, code: typeof error.code === 'string' ? error.code : '' });
  } catch {
    // A proxy may respond with anything.
  }
  return new RequestError(
    `The server returned HTTP ${status}${response.statusText ? ` (${response.statusText})` : ''}.`,
    {
      status,
    },
  );
}

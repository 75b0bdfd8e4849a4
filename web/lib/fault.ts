/** A request that was refused, or that nobody answered. */
export class Fault extends Error {
  /** Of HTTP; 0 where nobody answered. */
  readonly status: number;
  /** Conch's own code of the failure; empty where something between us answered. */
  readonly code: string;

  constructor(message: string, { status, code = '' }: { readonly status: number; readonly code?: string }) {
    super(message);
    this.name = 'Fault';
    this.status = status;
    this.code = code;
  }
}

/** What people are told of a failure. */
export function faultText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether somebody gave up on purpose. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** The failure that an answer tells. */
export async function faultOf(response: Response): Promise<Fault> {
  const { status } = response;
  const text = await response.text().catch(() => '');
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown; code?: unknown } };
    if (typeof error?.message === 'string')
      return new Fault(error.message, { status, code: typeof error.code === 'string' ? error.code : '' });
  } catch {
    // A proxy between us answers as it likes.
  }
  return new Fault(`The server answered ${status}${response.statusText ? ` (${response.statusText})` : ''}.`, {
    status,
  });
}

import { ApiError } from '../../errors.ts';
import type { StoredResponse, StoreLimits } from './response-store.ts';

/** A response as both databases keep it. */
export interface StoredRow {
  readonly owner: string;
  readonly id: string;
  readonly created: number;
  readonly previousId: string | null;
  /** Bytes of the two texts. */
  readonly size: number;
  /** JSON, and so is the input. */
  readonly response: string;
  readonly input: string;
}

/** The row of a response; refused where it alone is more than the store may hold. */
export function rowOf(stored: StoredResponse, { maxSize }: StoreLimits): StoredRow {
  const { owner, id, created, previousId } = stored;
  const response = JSON.stringify(stored.response);
  const input = JSON.stringify(stored.input);
  const size = Buffer.byteLength(response) + Buffer.byteLength(input);
  if (size > maxSize) {
    const message = `store: the response and its input have ${size} bytes, and all stored ones together may have ${maxSize}. Send store: false.`;
    throw new ApiError('request_too_large', message, { param: 'store' });
  }
  return { owner, id, created, previousId, size, response, input };
}

/** The response of a row. */
export function responseOf({
  owner,
  id,
  created,
  previousId,
  response,
  input,
}: Omit<StoredRow, 'size'>): StoredResponse {
  return { id, owner, created, previousId, response: JSON.parse(response), input: JSON.parse(input) };
}

/** Whether a response can have this id. PostgreSQL refuses a text with a NUL, which anyone can write in a URL. */
export function isPossibleId(id: string): boolean {
  return !id.includes('\0');
}

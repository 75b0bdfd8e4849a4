import { ApiError } from '../../errors.ts';
import type { StoredResponse, StoreLimits } from './response-store.ts';

/** A response as a row of both databases. */
export interface StoredRow {
  readonly owner: string;
  readonly id: string;
  readonly created: number;
  readonly previousId: string | null;
  /** The bytes of response and input. */
  readonly size: number;
  /** JSON, like the input. */
  readonly response: string;
  readonly input: string;
}

/** The row of a response; throws if it is larger than the limit of the whole store. */
export function rowOf(stored: StoredResponse, { maxSize }: StoreLimits): StoredRow {
  const { owner, id, created, previousId } = stored;
  const response = JSON.stringify(stored.response);
  const input = JSON.stringify(stored.input);
  const size = Buffer.byteLength(response) + Buffer.byteLength(input);
  if (size > maxSize) {
    const message = `store: the response and its input have ${size} bytes, more than the limit of the store (${maxSize} bytes). Send store: false.`;
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

/** Whether a response can have this id. PostgreSQL rejects text with a NUL, which a URL may contain. */
export function isPossibleId(id: string): boolean {
  return !id.includes('\0');
}

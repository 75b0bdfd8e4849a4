import { z } from 'zod';
import { ApiError } from '../../../errors.ts';
import type { StoredItem } from './conversation.ts';

/** The query of GET /v1/responses/{id}/input_items. */
export const ItemPageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  order: z.enum(['asc', 'desc'], 'must be asc or desc').default('desc'),
  after: z.string().optional(),
  /** Accepted and ignored: all data is always returned. */
  include: z.unknown().optional(),
});

export type ItemPageQuery = z.output<typeof ItemPageQuery>;

/** A page of the input items of a response, which are stored in the order of the request. */
export function itemPage(items: readonly StoredItem[], { limit, order, after }: ItemPageQuery) {
  const ordered = order === 'asc' ? items : items.toReversed();
  const begin = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && begin === 0)
    throw new ApiError(
      'invalid_request',
      `after: this response has no input item with the id ${JSON.stringify(after)}.`,
      {
        param: 'after',
      },
    );
  const data = ordered.slice(begin, begin + limit);
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: begin + limit < ordered.length,
  };
}

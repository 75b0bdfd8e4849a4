import { z } from 'zod';

/** The query of GET /v1/responses/{id}. */
export const FollowQuery = z.object({
  stream: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((value) => value === 'true')
    .optional(),
  starting_after: z.coerce.number().int().min(0).optional(),
  /** All that there is is always told. */
  include: z.unknown().optional(),
  include_obfuscation: z.unknown().optional(),
});

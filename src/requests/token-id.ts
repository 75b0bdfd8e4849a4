import { z } from 'zod';

export const tokenId = z.number().int().min(0);

/** Maximum number of token ids in a list: larger than any vocabulary. */
export const mostIds = 1_000_000;

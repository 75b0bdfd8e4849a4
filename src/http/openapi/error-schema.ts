import { errorTable } from '../../errors.ts';
import type { NamedSchema } from '../api.ts';
import { object, orNull, text } from './schema-parts.ts';

const errorTypes = [...new Set(Object.values(errorTable).map(({ type }) => type))];

/** The error body of OpenAI's clients. */
export const errorSchema: NamedSchema = {
  name: 'Error',
  schema: object({
    error: object({
      message: text,
      type: { enum: errorTypes },
      param: orNull(text),
      code: { enum: Object.keys(errorTable) },
    }),
  }),
};

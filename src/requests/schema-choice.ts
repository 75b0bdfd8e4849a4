import { z } from 'zod';

/** Checks a value by the schema that is chosen for it. The errors of a union would name none of its fields. */
export function schemaChoice<Schema extends z.ZodType>(choose: (value: unknown) => Schema) {
  return z.unknown().transform((value, context): z.output<Schema> => {
    const result = choose(value).safeParse(value);
    if (result.success) return result.data;
    for (const issue of result.error.issues) context.addIssue({ ...issue });
    return z.NEVER;
  });
}

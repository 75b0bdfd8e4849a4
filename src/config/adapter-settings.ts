import { z } from 'zod';
import { plainWords } from './problem.ts';
import { text } from './value-types.ts';

type AdapterFolders = Readonly<Record<string, { readonly dir: string; readonly task_id?: number | undefined }>>;

const adapterNames = z.array(text).superRefine((names, context) => {
  const at = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (at >= 0) context.addIssue({ code: 'custom', path: [at], message: `must not name ${names[at]} twice` });
});

const adapterFolders = z
  .record(text, z.strictObject({ dir: text, task_id: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional() }))
  .superRefine((folders, context) => {
    const ids = Object.entries(folders).map(([name, { task_id: id }]) => ({ name, id }));
    for (const [index, { name, id }] of ids.entries()) {
      const other = ids.slice(0, index).find((one) => id !== undefined && one.id === id);
      if (other)
        context.addIssue({ code: 'custom', path: [name, 'task_id'], message: `must not be that of ${other.name} too` });
    }
  });

const words = { error: plainWords };

/** The LoRA adapters of a model: names alone, or folders under names. */
export const adapters = z.unknown().transform((given, context): z.output<typeof adapterNames> | AdapterFolders => {
  const result = Array.isArray(given) ? adapterNames.safeParse(given, words) : adapterFolders.safeParse(given, words);
  if (result.success) return result.data;
  for (const issue of result.error.issues) context.addIssue({ ...issue });
  return z.NEVER;
});

import { z } from 'zod';
import { nearest } from './nearest.ts';

const apiNames = ['inference', 'embedding', 'model-repository', 'metrics', 'health'] as const;

// No message repeats what was given: whoever mixes up the order has written the secret where a name belongs.
const api = z.enum(apiNames, {
  error: ({ input }) => {
    const near = nearest(String(input), apiNames);
    return `must name APIs among ${apiNames.join(', ')}${near === undefined ? '' : ` (did you mean ${near}?)`}`;
  },
});

const apis = z.preprocess(
  (written) => (typeof written === 'string' ? written.split(',').map((name) => name.trim()) : written),
  z.array(api).min(1),
);

const wanted = 'must be written APIS HEADER VALUE, or in the file as a map of apis, header and value';

const restrictedApi = z.preprocess(
  (given: unknown) => {
    if (!Array.isArray(given)) return given;
    const [names, header, value]: readonly unknown[] = given;
    return given.length === 3 ? { apis: names, header, value } : given;
  },
  z.strictObject(
    {
      apis,
      header: z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must have the name of a header, without spaces or a colon'),
      value: z
        .string()
        .trim()
        .regex(/^[\x20-\x7e]+$/, 'must have a value of printable ASCII characters'),
    },
    { error: ({ code }) => (code === 'invalid_type' ? wanted : undefined) },
  ),
);

/** The APIs that want a header of their own with its value; no API stands in two of them. */
export const restrictedApis = z.array(restrictedApi).superRefine((items, context) => {
  const seen = new Set<string>();
  for (const [index, { apis: names }] of items.entries())
    for (const name of names) {
      if (seen.has(name))
        context.addIssue({ code: 'custom', path: [index, 'apis'], message: `must not restrict ${name} twice` });
      seen.add(name);
    }
});

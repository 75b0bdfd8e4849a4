import { z } from 'zod';
import { nearest } from './nearest.ts';

const apiNames = ['inference', 'embedding', 'model-repository', 'metrics', 'health'] as const;
const knownApis = `Known APIs are ${apiNames.join(', ')}`;

type ApiName = (typeof apiNames)[number];

function isApi(name: string): name is ApiName {
  return apiNames.some((known) => known === name);
}

const apis = z.preprocess(
  (written) => (typeof written === 'string' ? namesIn(written) : written),
  z.array(z.custom<ApiName>((name) => typeof name === 'string')).min(1),
);

function namesIn(written: string): string[] {
  return written.split(',').map((name) => name.trim());
}

const usageMessage = 'must be APIS HEADER VALUE, or a map of apis, header and value in the configuration file';

const restrictedApi = z.preprocess(
  (input: unknown) => {
    if (!Array.isArray(input)) return input;
    const [names, header, value]: readonly unknown[] = input;
    return input.length === 3 ? { apis: names, header, value } : input;
  },
  z
    .strictObject(
      {
        apis,
        header: z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must have the name of a header, without spaces or a colon'),
        value: z
          .string()
          .trim()
          .regex(/^[\x20-\x7e]+$/, 'must have a value of printable ASCII characters'),
      },
      { error: ({ code }) => (code === 'invalid_type' ? usageMessage : undefined) },
    )
    .superRefine(({ apis: names, header, value }, context) => {
      const isNearApi = (name: string) => isApi(name) || nearest(name, apiNames) !== undefined;
      const isMixedUp = [header, value].some((text) => namesIn(text).every(isNearApi));
      for (const [index, name] of names.entries())
        if (!isApi(name))
          context.addIssue({ code: 'custom', path: ['apis', index], message: unknownApi(name, isMixedUp) });
    }),
);

/** Repeats no name where the arguments seem to be in the wrong order: the name may be the secret value. */
function unknownApi(name: string, isMixedUp: boolean): string {
  if (isMixedUp) return `must be APIS HEADER VALUE, in this order. ${knownApis}`;
  if (!/^[\w-]{1,32}$/.test(name)) return `must have only known APIs, separated by commas. ${knownApis}`;
  const near = nearest(name, apiNames);
  return `has the unknown API "${name}".${near === undefined ? '' : ` Did you mean ${near}?`} ${knownApis}`;
}

/** The APIs that need a header with a value; each API is in at most one of them. */
export const restrictedApis = z.array(restrictedApi).superRefine((items, context) => {
  const seen = new Set<string>();
  for (const [index, { apis: names }] of items.entries())
    for (const name of names) {
      if (seen.has(name))
        context.addIssue({ code: 'custom', path: [index, 'apis'], message: `must not restrict ${name} twice` });
      seen.add(name);
    }
});

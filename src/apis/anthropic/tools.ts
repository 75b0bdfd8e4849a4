import { z } from 'zod';
import { isJsonObject } from '../../json-object.ts';
import { list, unsupportedField } from '../../requests/fields.ts';

/** Maximum number of tools per request. */
const mostTools = 1024;

const isOwn = (type: unknown): boolean => type === undefined || type === null || type === 'custom';

/** Only tools that the client runs. Tools that Anthropic runs, or whose input it defines, are rejected by name. */
const tool = z
  .unknown()
  .superRefine((value, context) => {
    const type = isJsonObject(value) ? value['type'] : undefined;
    if (isOwn(type)) return;
    const message = `tools of type ${JSON.stringify(type)} are not supported; send a tool of type custom`;
    context.addIssue({ code: 'custom', message, params: { code: 'unsupported_parameter' } });
  })
  .pipe(
    z.object({
      name: z.string().regex(/^[\w.-]{1,128}$/, 'must be 1 to 128 letters, digits, dashes, dots or underscores'),
      description: z.string().nullish(),
      input_schema: z.custom<Record<string, unknown>>(isJsonObject, 'must be a JSON schema object'),
      strict: z.boolean().nullish(),
      input_examples: list(z.unknown(), { most: 1_024 }).nullish(),
      eager_input_streaming: z.boolean().nullish(),
      defer_loading: unsupportedField('tool search is not supported; the model gets all tools', [false]),
      allowed_callers: list(z.string(), { most: 64 })
        .refine((callers) => callers.length === 0 || callers.includes('direct'), {
          message: 'only direct calls by the model are supported; include direct',
          params: { code: 'unsupported_parameter' },
        })
        .nullish(),
    }),
  );

const disable_parallel_tool_use = z.boolean().nullish();

/** The fields of a request that are about tools. */
export const toolFields = {
  tools: list(tool, { most: mostTools }).nullish(),
  tool_choice: z
    .discriminatedUnion(
      'type',
      [
        z.object({ type: z.literal('auto'), disable_parallel_tool_use }),
        z.object({ type: z.literal('any'), disable_parallel_tool_use }),
        z.object({ type: z.literal('tool'), name: z.string().min(1), disable_parallel_tool_use }),
        z.object({ type: z.literal('none') }),
      ],
      { error: 'type must be auto, any, tool or none' },
    )
    .nullish(),
};

export type Tool = z.output<typeof tool>;

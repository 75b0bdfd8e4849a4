import { z } from 'zod';
import { isJsonObject } from '../../../json-object.ts';
import { list, unsupportedField, withAcceptedValues } from '../../../requests/fields.ts';
import { functionName, mostTools } from '../../../requests/tools.ts';

const unsupported = { code: 'unsupported_parameter' };

/** Other tools are those that OpenAI runs itself, and custom ones. */
const functionType = z.unknown().superRefine((type, context) => {
  if (type === 'function') return;
  const message =
    typeof type === 'string'
      ? `tools of type ${JSON.stringify(type)} are not supported; send functions`
      : 'must be "function"';
  context.addIssue({ code: 'custom', message, ...(typeof type === 'string' ? { params: unsupported } : {}) });
});

const functionTool = z.looseObject({
  type: functionType,
  name: functionName,
  description: z.string().nullish(),
  parameters: z.custom<Readonly<Record<string, unknown>>>(isJsonObject, 'must be a JSON schema object').nullish(),
  strict: z.boolean().nullish(),
  defer_loading: unsupportedField('tool search is not supported; the model gets all tools', [false]),
});

const namedFunction = z.looseObject({ type: functionType, name: functionName });

const allowedTools = z.object({
  type: z.literal('allowed_tools'),
  mode: z.enum(['auto', 'required'], 'must be auto or required'),
  tools: list(namedFunction, { least: 1, most: mostTools }),
});

const mode = z.enum(['none', 'auto', 'required'], 'must be none, auto, required, a named function or allowed_tools');

/** The fields of a response's request that are about tools; unlike chat's, they have no inner object. */
export const toolFields = {
  tools: list(functionTool, { most: mostTools }).nullish(),
  tool_choice: withAcceptedValues(
    { kind: 'any', of: [mode, allowedTools, namedFunction] },
    z.unknown().transform((value, context): ToolChoice => {
      const schema = typeof value === 'string' ? mode : isAllowedTools(value) ? allowedTools : namedFunction;
      const result = schema.safeParse(value);
      if (result.success) return result.data as ToolChoice;
      for (const issue of result.error.issues) context.addIssue({ ...issue });
      return z.NEVER;
    }),
  ).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  /** Only calls of tools that OpenAI runs are counted, and there are none. */
  max_tool_calls: z.number().int().min(1).nullish(),
  functions: unsupportedField('send tools'),
  function_call: unsupportedField('send tool_choice'),
};

function isAllowedTools(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'allowed_tools';
}

export type ToolChoice =
  | z.output<typeof mode>
  | z.output<typeof allowedTools>
  | { readonly type: 'function'; readonly name: string };

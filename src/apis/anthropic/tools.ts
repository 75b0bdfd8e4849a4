import { z } from 'zod';
import { ApiError } from '../../errors.ts';
import { isJsonObject } from '../../json-object.ts';
import { list } from '../../requests/fields.ts';
import { withIgnoredValues } from '../../requests/ignored-fields.ts';
import { mostTools } from '../../requests/tools.ts';

/** A function that the client runs. */
const functionTool = z.object({
  type: z.literal('custom').nullish(),
  name: z.string().regex(/^[\w.-]{1,128}$/, 'must be 1 to 128 letters, digits, dashes, dots or underscores'),
  description: z.string().nullish(),
  input_schema: z.custom<Record<string, unknown>>(isJsonObject, 'must be a JSON schema object'),
  strict: z.boolean().nullish(),
  input_examples: list(z.unknown(), { most: 1_024 }).nullish(),
  eager_input_streaming: z.boolean().nullish(),
  defer_loading: z.boolean().nullish(),
  allowed_callers: list(z.string(), { most: 64 })
    .refine((callers) => callers.length === 0 || callers.includes('direct'), {
      message: 'only direct calls by the model are supported; include direct',
      params: { code: 'unsupported_parameter' },
    })
    .nullish(),
});

/** A tool that Anthropic runs or whose input Anthropic defines, like `web_search_20250305`. The model does not get it. */
const typedTool = z.object({ type: z.string(), name: z.string().nullish() });

function isTyped(value: unknown): boolean {
  const type = isJsonObject(value) ? value['type'] : undefined;
  return typeof type === 'string' && type !== 'custom';
}

const tool = withIgnoredValues({
  schema: functionTool,
  ignored: typedTool,
  isIgnored: isTyped,
  reason: 'tools that Anthropic runs or defines are not supported; send a tool of type custom',
});

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

export type FunctionTool = z.output<typeof functionTool>;
type TypedTool = z.output<typeof typedTool>;

/** A function, and its path in the request. */
export interface LocatedTool {
  readonly tool: FunctionTool;
  readonly path: string;
}

/** The functions of a request, and whether the prompt leaves out those with `defer_loading`. */
export interface Functions {
  readonly located: readonly LocatedTool[];
  readonly isDeferred: (tool: FunctionTool) => boolean;
}

/** The tools that the model may call. Rejects a `tool_choice` that needs another one. */
export function functionsOf({ tools, tool_choice: choice }: ToolFields): Functions {
  const located = (tools ?? []).map((tool, at) => ({ tool, path: `tools[${at}]` }));
  const functions = located.filter((entry): entry is LocatedTool => !isTyped(entry.tool));
  const typed = located.filter(({ tool }) => isTyped(tool)) as { readonly tool: TypedTool; readonly path: string }[];
  const isNeeded = choice?.type === 'any' && functions.length === 0;
  const isNamed = choice?.type === 'tool' && !functions.some(({ tool: { name } }) => name === choice.name);
  const needed = typed.find(({ tool: { name } }) => isNeeded || (isNamed && name === choice.name));
  if (!needed) return { located: functions, isDeferred: deferral(functions, typed) };
  const { tool, path } = needed;
  const message = `${path}: tool_choice needs this tool, and tools of type ${JSON.stringify(tool.type)} are not supported.`;
  throw new ApiError('unsupported_parameter', `${message} Send a tool of type custom.`, { param: path });
}

/** Tools are deferred if the client can find them: with a function of its own, not with Anthropic's tool search. */
function deferral(
  functions: readonly LocatedTool[],
  typed: readonly { readonly tool: TypedTool }[],
): Functions['isDeferred'] {
  const isFindable =
    functions.some(({ tool }) => !tool.defer_loading) && !typed.some(({ tool }) => tool.type.startsWith('tool_search'));
  return ({ defer_loading: isDeferred }) => isFindable && isDeferred === true;
}

type ToolFields = z.output<z.ZodObject<typeof toolFields>>;

/** A tool as a chat request has it. */
export function chatTool({ name, description, input_schema: parameters, strict }: FunctionTool) {
  return {
    type: 'function' as const,
    function: {
      name,
      ...(typeof description === 'string' ? { description } : {}),
      parameters,
      ...(typeof strict === 'boolean' ? { strict } : {}),
    },
  };
}

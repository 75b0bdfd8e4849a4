import { z } from 'zod';
import { isJsonObject } from '../../../json-object.ts';
import { withAcceptedValues } from '../../../requests/accepted-values.ts';
import { list, unsupportedField } from '../../../requests/fields.ts';
import { type IgnoredPart, withIgnoredParts } from '../../../requests/ignored-fields.ts';
import { schemaChoice } from '../../../requests/schema-choice.ts';
import { functionName, mostTools } from '../../../requests/tools.ts';

const functionTool = z.looseObject({
  type: z.literal('function'),
  name: functionName,
  description: z.string().nullish(),
  parameters: z.custom<Readonly<Record<string, unknown>>>(isJsonObject, 'must be a JSON schema object').nullish(),
  strict: z.boolean().nullish(),
  defer_loading: z.boolean().nullish(),
});

const format = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('text') }),
    z.looseObject({
      type: z.literal('grammar'),
      syntax: z.enum(['lark', 'regex'], 'must be lark or regex'),
      definition: z.string(),
    }),
  ],
  { error: 'must be text or grammar' },
);

/** A tool whose input is plain text. */
const customTool = z.looseObject({
  type: z.literal('custom'),
  name: functionName,
  description: z.string().nullish(),
  format: format.nullish(),
  defer_loading: z.boolean().nullish(),
});

/** A tool that OpenAI runs itself, or that only its models know. The model does not get it. */
const hostedTool = z.looseObject({ type: z.string().min(1) });

const namespaceTool = z.looseObject({
  type: z.literal('namespace'),
  name: functionName,
  description: z.string().nullish(),
  tools: list(byType([functionTool, customTool, hostedTool], ownSchema), { most: mostTools }),
});

const tool = byType([functionTool, customTool, namespaceTool, hostedTool], (type) =>
  type === 'namespace' ? namespaceTool : ownSchema(type),
);

export type FunctionTool = z.output<typeof functionTool>;
export type CustomTool = z.output<typeof customTool>;
export type NamespaceTool = z.output<typeof namespaceTool>;
/** A tool as a request may send it. */
export type RequestTool = z.output<typeof tool>;

function ownSchema(type: unknown) {
  if (type === 'function') return functionTool;
  return type === 'custom' ? customTool : hostedTool;
}

/** A tool that is checked by the schema of its type. */
function byType<Schema extends z.ZodType>(schemas: readonly Schema[], schemaOf: (type: unknown) => Schema) {
  const schema = schemaChoice((value) => schemaOf(typeOf(value)));
  return withIgnoredParts(withAcceptedValues({ kind: 'any', of: schemas }, schema), ignoredPartsOf);
}

function typeOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
}

const searchReason = 'tool search is not supported; the model gets all tools';

/** The ignored parts of a tool: the whole of a hosted one, and a grammar, which no backend takes for one tool. */
export function ignoredPartsOf(value: unknown): IgnoredPart[] {
  const type = typeOf(value);
  if (typeof type !== 'string') return [];
  const { tools, format, defer_loading: isDeferred } = value as Partial<NamespaceTool & CustomTool>;
  if (!['function', 'custom', 'namespace'].includes(type)) return [{ path: '', reason: hostedReason(type) }];
  if (type === 'namespace')
    return (Array.isArray(tools) ? tools : []).flatMap((inner, at) =>
      ignoredPartsOf(inner).map(({ path, reason }) => ({ path: `.tools[${at}]${path}`, reason })),
    );
  const grammar = { path: '.format', reason: 'the model gets the grammar as text; the backend does not guide by it' };
  return [
    ...(type === 'custom' && typeOf(format) === 'grammar' ? [grammar] : []),
    ...(isDeferred ? [{ path: '.defer_loading', reason: searchReason }] : []),
  ];
}

function hostedReason(type: string): string {
  return `tools of type ${JSON.stringify(type)} are not supported; send functions or custom tools`;
}

const isCallable = (type: unknown): boolean => type === 'function' || type === 'custom';

/** The name of a tool in `tool_choice`. */
const toolName = z.looseObject({
  type: z.unknown().superRefine((type, context) => {
    if (isCallable(type)) return;
    const message = typeof type === 'string' ? hostedReason(type) : 'must be function or custom';
    const params = typeof type === 'string' ? { params: { code: 'unsupported_parameter' } } : {};
    context.addIssue({ code: 'custom', message, ...params });
  }),
  name: functionName,
  namespace: functionName.nullish(),
});

const allowedTools = z.object({
  type: z.literal('allowed_tools'),
  mode: z.enum(['auto', 'required'], 'must be auto or required'),
  tools: list(
    byType([toolName, hostedTool], (type) => (isCallable(type) ? toolName : hostedTool)),
    {
      least: 1,
      most: mostTools,
    },
  ),
});

const mode = z.enum(['none', 'auto', 'required'], 'must be none, auto, required, a named tool or allowed_tools');

/** A tool that `tool_choice` names. */
export interface ToolName {
  readonly type: 'function' | 'custom';
  readonly name: string;
  readonly namespace?: string | null | undefined;
}

export type ToolChoice =
  | z.output<typeof mode>
  | {
      readonly type: 'allowed_tools';
      readonly mode: 'auto' | 'required';
      readonly tools: readonly (ToolName | z.output<typeof hostedTool>)[];
    }
  | ToolName;

const toolChoice = withIgnoredParts(
  withAcceptedValues(
    { kind: 'any', of: [mode, allowedTools, toolName] },
    schemaChoice((value) => {
      const schema = typeof value === 'string' ? mode : typeOf(value) === 'allowed_tools' ? allowedTools : toolName;
      return schema as z.ZodType<ToolChoice>;
    }),
  ),
  (value) => {
    const { tools } = (typeOf(value) === 'allowed_tools' ? value : {}) as { readonly tools?: unknown };
    return (Array.isArray(tools) ? tools : []).flatMap((inner, at) =>
      isCallable(typeOf(inner)) ? [] : [{ path: `.tools[${at}]`, reason: hostedReason(String(typeOf(inner))) }],
    );
  },
);

/** A list of tools. */
export const toolList = list(tool, { most: mostTools });

/** The fields of a response's request that are about tools; unlike chat's, they have no inner object. */
export const toolFields = {
  tools: toolList.nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  /** Only calls of tools that OpenAI runs are counted, and there are none. */
  max_tool_calls: z.number().int().min(1).nullish(),
  functions: unsupportedField('send tools'),
  function_call: unsupportedField('send tool_choice'),
};

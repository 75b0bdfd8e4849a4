import { z } from 'zod';
import { ApiError } from '../errors.ts';
import { isJsonObject } from '../json-object.ts';
import { ignoredField, list, unsupportedField } from './fields.ts';

/** Maximum number of tools per request. */
export const mostTools = 1024;

export const functionName = z
  .string()
  .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, dashes, dots or underscores');
/** Checked by `checkSchema`, which stops at its limits. */
const schema = z.custom<Readonly<Record<string, unknown>>>(isJsonObject, 'must be a JSON schema object');

const unsupported = (message: string) => ({ message, params: { code: 'unsupported_parameter' } });

const functionTool = z.looseObject({
  type: z.string().refine((type) => type === 'function', unsupported('only tools of type function are supported')),
  function: z.looseObject({
    name: functionName,
    description: z.string().nullish(),
    parameters: schema.nullish(),
    strict: z.boolean().nullish(),
  }),
});

/** A tool as a chat may send it. Chat templates do not get the deferral, which has no effect. */
const requestTool = functionTool
  .extend({ defer_loading: ignoredField('tool search is not supported; the model gets all tools', [false]) })
  .transform((tool): FunctionTool => {
    const { defer_loading: _, ...known } = tool;
    return known;
  });

const namedFunction = z.object({ type: z.literal('function'), function: z.object({ name: functionName }) });

const allowedTools = z.object({
  type: z.literal('allowed_tools'),
  allowed_tools: z.object({
    mode: z.enum(['auto', 'required']),
    tools: list(namedFunction, { least: 1, most: mostTools }),
  }),
});

const custom = z
  .looseObject({ type: z.string() })
  .refine(() => false, unsupported('custom tools are not supported; name a function'));

const choiceRule = 'must be none, auto, required, a named function or allowed_tools';

/** The fields of a chat request that are about tools. */
export const toolFields = {
  tools: list(requestTool, { most: mostTools }).nullish(),
  tool_choice: z
    .union(
      [
        z.enum(['none', 'auto', 'required'], choiceRule),
        z.discriminatedUnion('type', [namedFunction, allowedTools]),
        custom,
      ],
      {
        error: choiceRule,
      },
    )
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  functions: unsupportedField('deprecated; send tools instead'),
  function_call: unsupportedField('deprecated; send tool_choice instead', ['none', 'auto']),
};

/** A call that the assistant made earlier in a conversation. */
export const pastCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
});

/** Tools that can be called, but that messages describe instead of the prompt. No field of a chat sets them. */
export interface DeferredTools {
  /** Their names. */
  readonly deferredTools?: ReadonlySet<string>;
}

type ToolRequest = z.output<z.ZodObject<typeof toolFields>> & DeferredTools;
type FunctionTool = z.output<typeof functionTool>;

/** The tools of a request, checked. */
export interface ToolUse {
  /** The tools that may be called, as the request describes them. */
  readonly tools: readonly FunctionTool[];
  /** The tools that the prompt describes. Messages describe the others. */
  readonly described: readonly FunctionTool[];
  /** The index of each tool in the request. */
  readonly indexes: ReadonlyMap<FunctionTool, number>;
  /** `guided`: as `auto`, but the backend guides the response to a list of calls or to a structure. */
  readonly mode: 'auto' | 'guided' | 'required' | { readonly name: string };
  /** Whether a response may have several tool calls. */
  readonly isParallel: boolean;
}

/** The tools that the model may call; undefined if there are none, or none may be called. */
export function toolUseOf({
  tools,
  tool_choice: choice,
  parallel_tool_calls: parallel,
  deferredTools: deferred,
}: ToolRequest): ToolUse | undefined {
  checkNames(tools ?? [], 'tools');
  if (!tools || tools.length === 0) {
    if (choice && choice !== 'none' && choice !== 'auto')
      throw invalid('tool_choice', 'the request has no tools; send tools or leave tool_choice out.');
    return undefined;
  }
  if (choice === 'none') return undefined;
  const isParallel = parallel ?? true;
  const indexes = new Map(tools.map((tool, at) => [tool, at]));
  if (typeof choice !== 'object' || choice === null)
    return { tools, described: describedOf(tools, deferred), indexes, mode: choice ?? 'auto', isParallel };
  if ('allowed_tools' in choice) {
    const { mode, tools: allowed } = choice.allowed_tools as { mode: 'auto' | 'required'; tools: FunctionTool[] };
    const field = 'tool_choice.allowed_tools.tools';
    checkNames(allowed, field);
    const found = allowed.map((tool, at) => toolNamed(tool, tools, `${field}[${at}]`));
    return { tools: found, described: describedOf(found, deferred), indexes, mode, isParallel };
  }
  const named = toolNamed(choice as FunctionTool, tools, 'tool_choice');
  return {
    tools: [named],
    described: [named],
    indexes,
    mode: { name: named.function.name },
    isParallel: false,
  };
}

interface Description {
  /** The names of the deferred tools of the list. */
  readonly deferred: string;
  readonly described: readonly FunctionTool[];
}

/** The described tools of lists with deferred ones: equal lists are one object, and so are the tools that a prompt has. */
const descriptions = new WeakMap<readonly FunctionTool[], Description>();

/** The tools that are not deferred. If all are, the prompt describes them all: the model must know at least one. */
function describedOf(tools: readonly FunctionTool[], names: ReadonlySet<string> = new Set()): readonly FunctionTool[] {
  const isDeferred = (tool: FunctionTool): boolean => names.has(tool.function.name);
  if (names.size === 0 || tools.every(isDeferred)) return tools;
  const deferred = tools
    .filter(isDeferred)
    .map((tool) => tool.function.name)
    .join(' ');
  if (deferred === '') return tools;
  const known = descriptions.get(tools);
  if (known?.deferred === deferred) return known.described;
  const described = tools.filter((tool) => !isDeferred(tool));
  descriptions.set(tools, { deferred, described });
  return described;
}

function toolNamed({ function: { name } }: FunctionTool, tools: readonly FunctionTool[], param: string): FunctionTool {
  const found = tools.find((tool) => tool.function.name === name);
  if (!found) throw invalid(param, `the request has no tool named ${JSON.stringify(name)}.`);
  return found;
}

function checkNames(tools: readonly FunctionTool[], field: string): void {
  const seen = new Set<string>();
  tools.forEach((tool, at) => {
    const { name } = tool.function;
    if (seen.has(name))
      throw invalid(
        `${field}[${at}].function.name`,
        `another tool is also named ${JSON.stringify(name)}; names must be unique.`,
      );
    seen.add(name);
  });
}

/** A tool message must name a tool call of an earlier assistant message. */
export function checkToolMessages(messages: readonly { readonly role: string }[]): void {
  const made = new Set<string>();
  messages.forEach((message, at) => {
    const {
      role,
      tool_calls: calls,
      tool_call_id: id,
    } = message as {
      role: string;
      tool_calls?: { id: string }[] | null;
      tool_call_id?: string;
    };
    if (role === 'assistant') for (const call of calls ?? []) made.add(call.id);
    if (role === 'tool' && id !== undefined && !made.has(id))
      throw invalid(`messages[${at}].tool_call_id`, `no earlier tool call has the id ${JSON.stringify(id)}.`);
  });
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_request', `${param}: ${message}`, { param });
}

import type { ChatRequest } from '../../requests/chat-request.ts';
import { jsonSchemaOf } from './schema-object.ts';
import type { FunctionDeclaration, Tool, ToolConfig } from './tools.ts';

/** A function declaration, and its path in the request. */
interface LocatedDeclaration {
  readonly declaration: FunctionDeclaration;
  readonly path: string;
}

/** The functions of all tools. */
export function declarationsOf(tools: readonly Tool[] = []): LocatedDeclaration[] {
  return tools.flatMap(({ functionDeclarations = [] }, tool) =>
    functionDeclarations.map((declaration, at) => ({
      declaration,
      path: `tools[${tool}].functionDeclarations[${at}]`,
    })),
  );
}

/** Whether the arguments of calls must match the schemas of their functions. */
export function isValidated(config: ToolConfig['functionCallingConfig']): boolean {
  return config?.mode === 'VALIDATED';
}

/** A function declaration as a tool of a chat request. */
export function functionTool(
  { name, description, parameters, parametersJsonSchema }: FunctionDeclaration,
  isStrict: boolean,
) {
  const schema = parametersJsonSchema ?? (parameters && jsonSchemaOf(parameters));
  return {
    type: 'function' as const,
    function: {
      name,
      ...(description === undefined ? {} : { description }),
      ...(schema === undefined ? {} : { parameters: schema }),
      ...(isStrict ? { strict: true } : {}),
    },
  };
}

/** The `tool_choice` of a chat request; undefined: the default. */
export function toolChoice(config: ToolConfig['functionCallingConfig']): ChatRequest['tool_choice'] {
  const { mode = 'AUTO', allowedFunctionNames: names = [] } = config ?? {};
  if (mode === 'NONE') return 'none';
  const isRequired = mode === 'ANY';
  const [first, ...others] = names.map((name) => ({ type: 'function' as const, function: { name } }));
  if (!first) return isRequired ? 'required' : undefined;
  if (isRequired && others.length === 0) return first;
  return {
    type: 'allowed_tools',
    allowed_tools: { mode: isRequired ? 'required' : 'auto', tools: [first, ...others] },
  };
}

import type { Structure } from '../contracts/contract.ts';
import type { ToolUse } from '../openai/tools.ts';

type Json = Readonly<Record<string, unknown>>;

/** The form of an answer that must be calls: the arguments of a named function, or a list of calls of any that are offered. */
export function callStructure({ tools, mode, isParallel }: ToolUse): Structure | undefined {
  if (mode === 'auto') return undefined;
  if (typeof mode === 'object') return { json: parametersOf(tools[0]) };
  const definitions: Record<string, unknown> = {};
  const calls = tools.map((tool, at) => ({
    type: 'object',
    properties: {
      name: { type: 'string', enum: [tool.function.name] },
      parameters: hoisted(parametersOf(tool), `tool${at}_`, definitions),
    },
    required: ['name', 'parameters'],
    additionalProperties: false,
  }));
  return {
    json: {
      type: 'array',
      minItems: 1,
      ...(isParallel ? {} : { maxItems: 1 }),
      items: { anyOf: calls },
      ...(Object.keys(definitions).length > 0 ? { $defs: definitions } : {}),
    },
  };
}

function parametersOf(tool: ToolUse['tools'][number] | undefined): Json {
  return tool?.function.parameters ?? { type: 'object', properties: {}, additionalProperties: false };
}

/** A schema whose definitions have moved to the root of another, under names of their own. */
function hoisted(schema: Json, prefix: string, definitions: Record<string, unknown>): Json {
  const { $defs, definitions: old, ...rest } = schema;
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renamed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, key === '$ref' ? reference(inner, prefix) : renamed(inner)]),
    );
  };
  for (const group of [$defs, old])
    for (const [name, definition] of Object.entries((group ?? {}) as Json))
      definitions[prefix + name] = renamed(definition);
  return renamed(rest) as Json;
}

function reference(target: unknown, prefix: string): unknown {
  return typeof target === 'string' ? target.replace(/^#\/(?:\$defs|definitions)\//, `#/$defs/${prefix}`) : target;
}

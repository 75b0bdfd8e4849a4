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
      parameters: hoisted(parametersOf(tool), `tool${at}`, definitions),
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

/** The schema of a function's arguments, which are an object; a function without one takes none. */
export function parametersOf(tool: ToolUse['tools'][number] | undefined): Json {
  const schema = tool?.function.parameters ?? { properties: {}, additionalProperties: false };
  const saysMore = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'].some((key) => key in schema);
  return saysMore ? schema : { type: 'object', ...schema };
}

/** A schema whose definitions have moved to the root of another, under names of their own; itself too, if it needs to. */
function hoisted(schema: Json, name: string, definitions: Record<string, unknown>): Json {
  const { $defs, definitions: old, ...rest } = schema;
  const groups = { $defs: ($defs ?? {}) as Json, definitions: (old ?? {}) as Json };
  const nameOf = (group: keyof typeof groups, key: string) =>
    group === 'definitions' && Object.hasOwn(groups.$defs, key) ? `${name}_definitions_${key}` : `${name}_${key}`;
  let isReferred = false;
  const target = (reference: string): string => {
    const [, group, key = '', more = ''] = /^#\/(\$defs|definitions)\/([^/]*)(.*)$/.exec(reference) ?? [];
    if (group !== undefined) return `#/$defs/${nameOf(group as keyof typeof groups, key)}${more}`;
    isReferred = true;
    return reference.replace(/^#/, `#/$defs/${name}`);
  };
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renamed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        key === '$ref' && typeof inner === 'string' ? target(inner) : renamed(inner),
      ]),
    );
  };
  for (const [group, members] of Object.entries(groups))
    for (const [key, definition] of Object.entries(members))
      definitions[nameOf(group as keyof typeof groups, key)] = renamed(definition);
  const moved = renamed(rest) as Json;
  if (!isReferred) return moved;
  definitions[name] = moved;
  return { $ref: `#/$defs/${name}` };
}

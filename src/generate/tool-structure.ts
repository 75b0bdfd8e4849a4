import type { Structure } from '../contracts/contract.ts';
import { memberPath } from '../contracts/vllm-guide-path.ts';
import type { ToolUse } from '../requests/tools.ts';

type Json = Readonly<Record<string, unknown>>;

/** A structure for calls, and the request paths of the parts of its schema, by their paths in the schema. */
export interface CallStructure {
  readonly structure: Structure;
  readonly paths: Readonly<Record<string, string>>;
}

/** The structure of a response that must be calls: the arguments of a named function, or a list of calls. */
export function callStructure(use: ToolUse): CallStructure | undefined {
  const { tools, indexes, mode } = use;
  if (mode === 'auto' || mode === 'guided') return undefined;
  if (typeof mode === 'object')
    return {
      structure: { json: parametersOf(tools[0]) },
      paths: { '': originOf(tools[0] as Tool, indexes) },
    };
  const definitions = new Definitions();
  const { schema, paths } = callList(use, definitions);
  return {
    structure: { json: { ...schema, ...definitions.member } },
    paths: { ...paths, ...definitions.paths },
  };
}

/** The structure of a response that is either a list of calls or an object by a schema of the request. */
export function callOrObjectStructure(use: ToolUse, object: Json, origin: string): CallStructure {
  const definitions = new Definitions();
  const { schema, paths } = callList(use, definitions, '.anyOf[0]');
  const other = hoisted(object, { name: 'response', origin, definitions });
  return {
    structure: { json: { anyOf: [schema, other], ...definitions.member } },
    paths: { ...paths, '.anyOf[1]': origin, ...definitions.paths },
  };
}

type Tool = ToolUse['tools'][number];

function originOf(tool: Tool, indexes: ToolUse['indexes']): string {
  return `tools[${indexes.get(tool)}].function.parameters`;
}

function callList({ tools, indexes, isParallel }: ToolUse, definitions: Definitions, path = '') {
  const calls = tools.map((tool, at) => ({
    type: 'object',
    properties: {
      name: { type: 'string', enum: [tool.function.name] },
      parameters: hoisted(parametersOf(tool), { name: `tool${at}`, origin: originOf(tool, indexes), definitions }),
    },
    required: ['name', 'parameters'],
    additionalProperties: false,
  }));
  const inCalls = tools.map((tool, at) => [
    `${path}.items.anyOf[${at}].properties.parameters`,
    originOf(tool, indexes),
  ]);
  return {
    schema: { type: 'array', minItems: 1, ...(isParallel ? {} : { maxItems: 1 }), items: { anyOf: calls } },
    paths: Object.fromEntries(inCalls) as Record<string, string>,
  };
}

/** Definitions that moved to the root of a schema, and their request paths. */
class Definitions {
  readonly schemas: Record<string, unknown> = {};
  readonly paths: Record<string, string> = {};

  /** The member of the root that has them, if there are any. */
  get member(): Json {
    return Object.keys(this.schemas).length > 0 ? { $defs: this.schemas } : {};
  }

  add(name: string, schema: unknown, origin: string): void {
    this.schemas[name] = schema;
    this.paths[memberPath('.$defs', name)] = origin;
  }
}

/** The schema of a function's arguments, which are an object; a function without one takes none. */
export function parametersOf(tool: ToolUse['tools'][number] | undefined): Json {
  const schema = tool?.function.parameters ?? { properties: {}, additionalProperties: false };
  const saysMore = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'].some((key) => key in schema);
  return saysMore ? schema : { type: 'object', ...schema };
}

interface HoistOptions {
  readonly name: string;
  /** The path of the schema in the request. */
  readonly origin: string;
  readonly definitions: Definitions;
}

/** A schema whose definitions moved to the root of another under new names; so does one that refers to itself. */
function hoisted(schema: Json, { name, origin, definitions }: HoistOptions): Json {
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
      definitions.add(
        nameOf(group as keyof typeof groups, key),
        renamed(definition),
        memberPath(`${origin}.${group}`, key),
      );
  const moved = renamed(rest) as Json;
  if (!isReferred) return moved;
  definitions.add(name, moved, origin);
  return { $ref: `#/$defs/${name}` };
}

import { ApiError } from '../errors.ts';
import { checkSchema } from '../json-schema/check.ts';
import { isJudged } from '../json-schema/validate.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { RequestedStructure } from '../requests/structure.ts';
import type { ToolUse } from '../requests/tools.ts';
import { type CallRules, canGuide, checkableStructure, type Emulation, emulationOf } from './structured-emulation.ts';
import { callStructure, parametersOf } from './tool-structure.ts';

/** How the response of a chat gets its requested structure. */
export interface ResponseFormat {
  /** What the backend guides the response to. */
  readonly structure: RequestedStructure | undefined;
  /** What Conch checks the response against, because the backend cannot guide it. */
  readonly emulation: Emulation | undefined;
  /** The tools as the response calls them: in the model's own format, unless it is guided to calls. */
  readonly use: ToolUse | undefined;
}

interface FormatRequest {
  readonly requestedStructure: RequestedStructure | undefined;
  readonly use: ToolUse | undefined;
  /** How often Conch retries a response that does not match; 0: a structure is guided or refused. */
  readonly retries: number;
}

/** The response format of a chat: required calls, else what the request says about its text. */
export function responseFormat(
  model: ServedModel,
  { requestedStructure, use, retries }: FormatRequest,
): ResponseFormat {
  if (!use) {
    const emulation = emulationOf(model, requestedStructure, retries);
    return { structure: emulation ? undefined : requestedStructure, emulation, use };
  }
  const calls = callStructure(use);
  // Required calls leave no text that could have a structure.
  if (calls && (canGuide(model) || retries === 0))
    return { structure: { ...calls, field: 'tool_choice' }, emulation: undefined, use };
  if (calls) {
    const rules = callRules(use, { isRequired: true, tools: use.tools });
    return { structure: undefined, emulation: { calls: rules, field: 'tool_choice', retries }, use: inItsOwnWay(use) };
  }
  return { structure: undefined, emulation: besideTools(use, requestedStructure, retries), use };
}

/** A guided response cannot contain calls, so next to tools the response is checked instead. */
function besideTools(
  use: ToolUse,
  requestedStructure: RequestedStructure | undefined,
  retries: number,
): Emulation | undefined {
  const strict = use.tools.filter((tool) => tool.function.strict);
  const calls = callRules(use, { isRequired: false, tools: strict });
  if (requestedStructure) {
    const { field } = requestedStructure;
    const structure = retries === 0 ? undefined : checkableStructure(requestedStructure);
    if (structure) return { structure, calls, field, retries };
    const message = `${field}: cannot be combined with tools, because a guided response has no tool calls. Remove one of them.`;
    throw new ApiError('unsupported_parameter', message, { param: field });
  }
  return strict.length > 0 ? { calls, field: 'tools', retries } : undefined;
}

function inItsOwnWay(use: ToolUse): ToolUse {
  return { ...use, mode: 'auto' };
}

function callRules(use: ToolUse, { isRequired, tools }: { isRequired: boolean; tools: ToolUse['tools'] }): CallRules {
  const schemas = new Map<string, Readonly<Record<string, unknown>>>();
  for (const tool of tools) {
    const schema = parametersOf(tool);
    checkSchema(schema, `tools[${use.indexes.get(tool)}].function.parameters`, { knows: isJudged });
    schemas.set(tool.function.name, schema);
  }
  return { isRequired, schemas };
}

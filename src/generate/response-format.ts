import { ApiError } from '../errors.ts';
import { checkSchema } from '../json-schema/check.ts';
import { isJudged } from '../json-schema/validate.ts';
import type { ServedModel } from '../models/served-model.ts';
import { type RequestedStructure, schemaPath } from '../requests/structure.ts';
import type { ToolUse } from '../requests/tools.ts';
import { guidedStructure } from './guided-structure.ts';
import type { CheckableStructure } from './structure-reader.ts';
import { type CallRules, canGuide, checkableStructure, type Emulation, emulationOf } from './structured-emulation.ts';
import { choiceInstruction, instructionOf } from './structured-prompt.ts';
import { callOrObjectStructure, callStructure, parametersOf } from './tool-structure.ts';

type Json = Readonly<Record<string, unknown>>;

/** How the response of a chat gets its requested structure. */
export interface ResponseFormat {
  /** What the backend guides the response to. */
  readonly structure: RequestedStructure | undefined;
  /** What Conch checks the response against, because the backend cannot guide it. */
  readonly emulation: Emulation | undefined;
  /** The tools as the response calls them: in the model's own format, unless it is guided to calls. */
  readonly use: ToolUse | undefined;
  /** The structure of the text of a response that is guided to calls or text. */
  readonly text?: CheckableStructure | undefined;
  /** Tells the model about the structure. */
  readonly instruction: string | undefined;
}

interface FormatRequest {
  readonly requestedStructure: RequestedStructure | undefined;
  readonly use: ToolUse | undefined;
  /** Whether the backend may guide a response to calls or text. */
  readonly guidesTools: boolean;
  /** How often Conch retries a response that does not match; 0: a structure is guided or refused. */
  readonly retries: number;
}

/** The response format of a chat: required calls, else what the request says about its text. */
export function responseFormat(
  model: ServedModel,
  { requestedStructure, use, guidesTools, retries }: FormatRequest,
): ResponseFormat {
  if (!use) {
    const emulation = emulationOf(model, requestedStructure, retries);
    return emulation ? emulated(emulation, use) : guided(requestedStructure, use);
  }
  const calls = callStructure(use);
  // Required calls leave no text that could have a structure.
  if (calls && (canGuide(model) || retries === 0)) return guided({ ...calls, field: 'tool_choice' }, use);
  if (calls) {
    const rules = callRules(use, { isRequired: true, tools: use.tools });
    return emulated({ calls: rules, field: 'tool_choice', retries }, inItsOwnWay(use));
  }
  const either = requestedStructure && guidesTools ? guidedBesideTools(model, use, requestedStructure) : undefined;
  return either ?? emulated(besideTools(use, requestedStructure, retries), use);
}

function guided(structure: RequestedStructure | undefined, use: ToolUse | undefined): ResponseFormat {
  // A model needs no instructions for a structure that its backend guides.
  return { structure, emulation: undefined, use, instruction: undefined };
}

function emulated(emulation: Emulation | undefined, use: ToolUse | undefined): ResponseFormat {
  return { structure: undefined, emulation, use, instruction: emulation && instructionOf(emulation) };
}

/**
 * Guides the response to a list of calls or to the object of the request. Undefined if the backend cannot do that, or if
 * the text may be a list itself: then the response is checked instead.
 */
function guidedBesideTools(
  model: ServedModel,
  use: ToolUse,
  { structure, field }: RequestedStructure,
): ResponseFormat | undefined {
  const schema = objectSchema(structure);
  if (!schema || !canGuide(model)) return undefined;
  const either = { ...callOrObjectStructure(use, schema, schemaPath(field)), field };
  if (!canWrite(model, either)) return undefined;
  const text = 'json' in structure ? { json: schema } : { json_object: true as const };
  return {
    structure: either,
    emulation: undefined,
    use: { ...use, mode: 'guided' },
    text,
    instruction: choiceInstruction(text),
  };
}

/** The schema of a structure that is always an object. */
function objectSchema(structure: RequestedStructure['structure']): Json | undefined {
  if ('json_object' in structure) return { type: 'object' };
  return 'json' in structure && structure.json['type'] === 'object' ? structure.json : undefined;
}

/** Whether the backend's libraries support all of the structure. Tools may have schemas that they do not support. */
function canWrite(model: ServedModel, structure: RequestedStructure): boolean {
  try {
    guidedStructure(model, structure);
    return true;
  } catch {
    return false;
  }
}

/** A response that the backend cannot guide to calls or text is checked instead. */
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
    const message = `${field}: cannot be combined with tools for this model. Remove one of them.`;
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

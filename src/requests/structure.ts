import { z } from 'zod';
import type { Structure, StructureOptions } from '../contracts/contract.ts';
import { ApiError } from '../errors.ts';
import { isJsonObject } from '../json-object.ts';
import { checkSchema } from '../json-schema/check.ts';
import { patternError } from '../json-schema/pattern.ts';
import { longestSchema } from '../json-schema/size.ts';
import { checkStructuralTag } from '../json-schema/structural-tag.ts';
import { list, unsupportedField } from './fields.ts';

type Json = Readonly<Record<string, unknown>>;

/** Checked by `checkSchema`, which stops at its limits; a record would check every key. */
const schema = z.custom<Json>(isJsonObject, 'must be a JSON schema object');
const mostChoices = 10_000;
const choices = list(z.string().min(1), { least: 1, most: mostChoices });

const constraintNames = ['json', 'json_object', 'regex', 'choice', 'grammar', 'structural_tag'] as const;

function isPresent<Value>(value: Value): value is NonNullable<Value> {
  return value !== undefined && value !== null;
}

/** Checked by `structuralTagOf`. */
const tag = z.union([z.custom<Json>(isJsonObject), z.string()], {
  error: 'must be a structural tag object, or one as a JSON string',
});

const longestPattern = 4_096;
const whitespacePattern = z.string().min(1).max(longestPattern);

/** Exactly one constraint, as in vLLM's own server. */
const structuredOutputs = z
  .strictObject({
    json: z.union([schema, z.string()]).nullish(),
    json_object: z.literal(true).nullish(),
    regex: z.string().min(1).nullish(),
    choice: choices.nullish(),
    grammar: z.string().min(1).nullish(),
    structural_tag: tag.nullish(),
    whitespace_pattern: whitespacePattern.nullish(),
    disable_fallback: unsupportedField('there is no fallback', [false]),
    disable_any_whitespace: z.boolean().nullish(),
    disable_additional_properties: z.boolean().nullish(),
  })
  .refine(
    (value) => constraintNames.filter((name) => isPresent(value[name])).length === 1,
    `must have exactly one of ${constraintNames.join(', ')}`,
  );

export const jsonSchema = z.object({
  name: z.string().regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, dashes or underscores'),
  description: z.string().nullish(),
  schema: schema.nullish(),
  strict: z.boolean().nullish(),
});

/** OpenAI's field, and what vLLM adds to it. */
export const structureFields = {
  response_format: z
    .discriminatedUnion(
      'type',
      [
        z.object({ type: z.literal('text') }),
        z.object({ type: z.literal('json_object') }),
        z.object({ type: z.literal('json_schema'), json_schema: jsonSchema }),
        z.looseObject({ type: z.literal('structural_tag') }),
      ],
      { error: 'type must be text, json_object, json_schema or structural_tag' },
    )
    .nullish(),
  guided_json: z.union([schema, z.string()]).nullish(),
  guided_regex: z.string().min(1).nullish(),
  guided_choice: choices.nullish(),
  guided_grammar: z.string().min(1).nullish(),
  guided_whitespace_pattern: whitespacePattern.nullish(),
  structural_tag: tag.nullish(),
  structured_outputs: structuredOutputs.nullish(),
};

export type StructureRequest = z.output<z.ZodObject<typeof structureFields>>;

/** A structured output that a request requires, and the field that requires it. */
export interface RequestedStructure {
  readonly structure: Structure;
  readonly field: string;
  /** For a schema that Conch assembled: the request field of each of its parts, by its path in the schema. */
  readonly paths?: Readonly<Record<string, string>>;
}

/** The structured output of a request. Two of them are an error. */
export function structureOf(request: StructureRequest): RequestedStructure | undefined {
  const { response_format: format, structured_outputs: outputs } = request;
  const found: RequestedStructure[] = [];
  const add = (field: string, structure: Structure | undefined): void => {
    if (structure) found.push({ field, structure });
  };
  if (format?.type === 'json_object') add('response_format', { json_object: true });
  if (format?.type === 'json_schema')
    add('response_format', { json: schemaOf(format.json_schema.schema ?? {}, schemaPath('response_format')) });
  const { guided_json: json } = request;
  add('guided_json', isPresent(json) ? { json: schemaOf(json, 'guided_json') } : undefined);
  add('guided_regex', request.guided_regex ? { regex: regexOf(request.guided_regex, 'guided_regex') } : undefined);
  add('guided_choice', request.guided_choice ? { choice: request.guided_choice } : undefined);
  add('guided_grammar', request.guided_grammar ? { grammar: request.guided_grammar } : undefined);
  if (format?.type === 'structural_tag')
    add('response_format', { structural_tag: structuralTagOf(format, 'response_format') });
  if (isPresent(request.structural_tag))
    add('structural_tag', { structural_tag: structuralTagOf(request.structural_tag, 'structural_tag') });
  if (outputs) add('structured_outputs', outputsOf(outputs));
  const [first, second] = found;
  if (second)
    throw new ApiError(
      'invalid_request',
      `${second.field}: cannot be combined with ${first?.field}. Send only one of them.`,
      {
        param: second.field,
      },
    );
  return first;
}

/** The path of the schema in a field that requires JSON. */
export function schemaPath(field: string): string {
  if (field === 'response_format') return 'response_format.json_schema.schema';
  return field === 'structured_outputs' ? 'structured_outputs.json' : field;
}

/** The path of a guide in the request: of a schema, a regular expression or the parameters of a function. */
export function guidePath({ structure, field, paths = {} }: RequestedStructure): string {
  const origins = Object.entries(paths).filter(([path]) => !path.startsWith('.$defs'));
  if (origins.length > 0) return origins.length === 1 ? (origins[0]?.[1] ?? field) : 'tools';
  if ('json' in structure) return schemaPath(field);
  const [kind] = Object.keys(structure);
  return field === 'structured_outputs' ? `structured_outputs.${kind}` : field;
}

function outputsOf(outputs: NonNullable<StructureRequest['structured_outputs']>): Structure {
  const { json, regex, choice, grammar, structural_tag: structuralTag } = outputs;
  if (isPresent(json)) return { json: schemaOf(json, schemaPath('structured_outputs')) };
  if (isPresent(regex)) return { regex: regexOf(regex, 'structured_outputs.regex') };
  if (isPresent(choice)) return { choice };
  if (isPresent(structuralTag))
    return { structural_tag: structuralTagOf(structuralTag, 'structured_outputs.structural_tag') };
  return isPresent(grammar) ? { grammar } : { json_object: true };
}

/** Options of a structured output, and the field of the first of them. */
export interface RequestedOptions {
  readonly options: StructureOptions;
  readonly field: string;
}

/** How the JSON of a structured output is written; undefined: as the backend does it. */
export function structureOptionsOf(request: StructureRequest): RequestedOptions | undefined {
  const { guided_whitespace_pattern: legacyPattern, structured_outputs: outputs } = request;
  const pattern = outputs?.whitespace_pattern ?? legacyPattern ?? undefined;
  const fields = [
    ...(isPresent(legacyPattern) ? ['guided_whitespace_pattern'] : []),
    ...(isPresent(outputs?.whitespace_pattern) ? ['structured_outputs.whitespace_pattern'] : []),
    ...(outputs?.disable_any_whitespace ? ['structured_outputs.disable_any_whitespace'] : []),
    ...(outputs?.disable_additional_properties ? ['structured_outputs.disable_additional_properties'] : []),
  ];
  const [field] = fields;
  if (field === undefined) return undefined;
  if (pattern !== undefined) regexOf(pattern, field);
  return {
    field,
    options: {
      ...(pattern === undefined ? {} : { whitespacePattern: pattern }),
      ...(outputs?.disable_any_whitespace ? { disableAnyWhitespace: true } : {}),
      ...(outputs?.disable_additional_properties ? { disableAdditionalProperties: true } : {}),
    },
  };
}

/** vLLM accepts a schema as an object or as a JSON string. */
function schemaOf(input: string | Json, field: string): Json {
  const read = typeof input === 'string' ? parsed(input, field, 'schema') : input;
  checkSchema(read, field);
  return read;
}

/** The same for a structural tag: tags with schemas and what triggers them, or a format. */
function structuralTagOf(input: string | Json, field: string): Json {
  const read = typeof input === 'string' ? parsed(input, field, 'structural tag') : input;
  const { structures, triggers, format } = read;
  if (!isJsonObject(format) && !(Array.isArray(structures) && Array.isArray(triggers)))
    throw invalid(field, 'must have a format, or structures and triggers.');
  checkStructuralTag(read, field);
  return read;
}

function parsed(text: string, field: string, kind: 'schema' | 'structural tag'): Json {
  if (text.length > longestSchema)
    throw invalid(field, `must have at most ${longestSchema} characters, not ${text.length}.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The value stays undefined, which is not an object.
  }
  if (isJsonObject(value)) return value;
  const name = kind === 'schema' ? 'JSON schema' : kind;
  throw invalid(field, `must be a ${name} object, or one as a JSON string.`);
}

function regexOf(pattern: string, field: string): string {
  const problem = patternError(pattern);
  if (problem !== undefined) throw invalid(field, problem);
  return pattern;
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_request', `${param}: ${message}`, { param });
}

import { z } from 'zod';
import type { Structure } from '../contracts/contract.ts';
import { ApiError } from '../errors.ts';
import { isJsonObject } from '../json-object.ts';
import { checkSchema } from '../json-schema/check.ts';
import { patternFault } from '../json-schema/pattern.ts';
import { longestSchema } from '../json-schema/size.ts';
import { list, refused } from './fields.ts';

/** Looked into by `checkSchema`, which stops at its limits, where a record would look at every key. */
const schema = z.custom<Readonly<Record<string, unknown>>>(isJsonObject, 'must be a JSON schema, which is an object');
const mostChoices = 10_000;
const choices = list(z.string().min(1), { least: 1, most: mostChoices });

const formNames = ['json', 'json_object', 'regex', 'choice', 'grammar'] as const;

function isGiven<Value>(value: Value): value is NonNullable<Value> {
  return value !== undefined && value !== null;
}

/** Exactly one form, as vLLM's own server takes it. */
const structuredOutputs = z
  .strictObject({
    json: z.union([schema, z.string()]).nullish(),
    json_object: z.literal(true).nullish(),
    regex: z.string().min(1).nullish(),
    choice: choices.nullish(),
    grammar: z.string().min(1).nullish(),
    structural_tag: refused('only json, json_object, regex, choice and grammar are offered'),
    whitespace_pattern: refused('the backend decides on blanks'),
    disable_fallback: refused('there is no other way to fall back to', [false]),
    disable_any_whitespace: refused('the backend decides on blanks', [false]),
    disable_additional_properties: refused('say it in the schema', [false]),
  })
  .refine(
    (value) => formNames.filter((name) => isGiven(value[name])).length === 1,
    'must hold exactly one of json, json_object, regex, choice, grammar',
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
      ],
      { error: 'type must be text, json_object or json_schema' },
    )
    .nullish(),
  guided_json: z.union([schema, z.string()]).nullish(),
  guided_regex: z.string().min(1).nullish(),
  guided_choice: choices.nullish(),
  guided_grammar: z.string().min(1).nullish(),
  structured_outputs: structuredOutputs.nullish(),
};

type StructureRequest = z.output<z.ZodObject<typeof structureFields>>;

/** A form that the answer must have, and the field that asked for it. */
export interface WantedStructure {
  readonly structure: Structure;
  readonly field: string;
  /** Where parts of a schema that was put together here stand in the request, by their places in it. */
  readonly places?: Readonly<Record<string, string>>;
}

/** The form that a request asks for; two of them contradict each other. */
export function structureOf(request: StructureRequest): WantedStructure | undefined {
  const { response_format: format, structured_outputs: outputs } = request;
  const wanted: WantedStructure[] = [];
  const add = (field: string, structure: Structure | undefined): void => {
    if (structure) wanted.push({ field, structure });
  };
  if (format?.type === 'json_object') add('response_format', { json_object: true });
  if (format?.type === 'json_schema')
    add('response_format', { json: schemaOf(format.json_schema.schema ?? {}, schemaPlace('response_format')) });
  const { guided_json: json } = request;
  add('guided_json', isGiven(json) ? { json: schemaOf(json, 'guided_json') } : undefined);
  add('guided_regex', request.guided_regex ? { regex: regexOf(request.guided_regex, 'guided_regex') } : undefined);
  add('guided_choice', request.guided_choice ? { choice: request.guided_choice } : undefined);
  add('guided_grammar', request.guided_grammar ? { grammar: request.guided_grammar } : undefined);
  if (outputs) add('structured_outputs', outputsOf(outputs));
  const [first, second] = wanted;
  if (second)
    throw new ApiError('invalid_request', `${second.field}: ${first?.field} already says what form the answer has.`, {
      param: second.field,
    });
  return first;
}

/** Where the schema stands in a field that asks for JSON. */
export function schemaPlace(field: string): string {
  if (field === 'response_format') return 'response_format.json_schema.schema';
  return field === 'structured_outputs' ? 'structured_outputs.json' : field;
}

/** Where the whole guide of a structured output stands in the request: a schema, an expression, a function's parameters. */
export function guidePlace({ structure, field, places = {} }: WantedStructure): string {
  const origins = Object.entries(places).filter(([place]) => !place.startsWith('.$defs'));
  if (origins.length > 0) return origins.length === 1 ? (origins[0]?.[1] ?? field) : 'tools';
  if ('json' in structure) return schemaPlace(field);
  const [kind] = Object.keys(structure);
  return field === 'structured_outputs' ? `structured_outputs.${kind}` : field;
}

function outputsOf(outputs: NonNullable<StructureRequest['structured_outputs']>): Structure {
  const { json, regex, choice, grammar } = outputs;
  if (isGiven(json)) return { json: schemaOf(json, schemaPlace('structured_outputs')) };
  if (isGiven(regex)) return { regex: regexOf(regex, 'structured_outputs.regex') };
  if (isGiven(choice)) return { choice };
  return isGiven(grammar) ? { grammar } : { json_object: true };
}

/** vLLM takes a schema as an object or as its text. */
function schemaOf(given: string | Readonly<Record<string, unknown>>, field: string): Readonly<Record<string, unknown>> {
  const read = typeof given === 'string' ? parsed(given, field) : given;
  checkSchema(read, field);
  return read;
}

function parsed(text: string, field: string): Readonly<Record<string, unknown>> {
  if (text.length > longestSchema) throw invalid(field, `is larger than ${longestSchema} characters of JSON.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Left undefined, which is no schema.
  }
  if (!isJsonObject(value)) throw invalid(field, 'is not the text of a JSON schema.');
  return value;
}

function regexOf(pattern: string, field: string): string {
  const fault = patternFault(pattern);
  if (fault !== undefined) throw invalid(field, fault);
  return pattern;
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_request', `${param}: ${message}`, { param });
}

import { z } from 'zod';
import type { Structure } from '../contracts/contract.ts';
import { ApiError } from '../errors.ts';

const schema = z.record(z.string(), z.unknown(), 'must be a JSON schema, which is an object');
const choices = z.array(z.string().min(1)).min(1);

/** Exactly one form, as vLLM's own server takes it. */
const structuredOutputs = z
  .strictObject({
    json: z.union([schema, z.string()]).optional(),
    json_object: z.literal(true).optional(),
    regex: z.string().min(1).optional(),
    choice: choices.optional(),
    grammar: z.string().min(1).optional(),
  })
  .refine(
    (value) => Object.keys(value).length === 1,
    'must hold exactly one of json, json_object, regex, choice, grammar',
  );

const jsonSchema = z.object({
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
}

/** The form that a request asks for; two of them contradict each other. */
export function structureOf(request: StructureRequest): WantedStructure | undefined {
  const { response_format: format, structured_outputs: outputs } = request;
  const wanted: WantedStructure[] = [];
  const add = (field: string, structure: Structure | undefined): void => {
    if (structure) wanted.push({ field, structure });
  };
  if (format?.type === 'json_object') add('response_format', { json_object: true });
  if (format?.type === 'json_schema') add('response_format', { json: format.json_schema.schema ?? {} });
  add('guided_json', request.guided_json ? { json: schemaOf(request.guided_json, 'guided_json') } : undefined);
  add('guided_regex', request.guided_regex ? { regex: request.guided_regex } : undefined);
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

function outputsOf(outputs: NonNullable<StructureRequest['structured_outputs']>): Structure {
  if (outputs.json !== undefined) return { json: schemaOf(outputs.json, 'structured_outputs') };
  return outputs as Structure;
}

/** vLLM takes a schema as an object or as its text. */
function schemaOf(given: string | Record<string, unknown>, field: string): Record<string, unknown> {
  if (typeof given !== 'string') return given;
  try {
    return schema.parse(JSON.parse(given));
  } catch {
    throw new ApiError('invalid_request', `${field}: is not the text of a JSON schema.`, { param: field });
  }
}

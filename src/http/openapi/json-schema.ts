import { z } from 'zod';
import { type AcceptedValues, acceptedValuesOf } from '../../requests/accepted-values.ts';

/** A JSON schema in the document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The JSON schema of a request, from the schema that checks it. */
export function inputSchema(schema: z.core.$ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema as z.ZodType, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const customSchema = customSchemaOf(zodSchema);
      if (customSchema === undefined) return;
      for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
      Object.assign(jsonSchema, customSchema);
    },
  });
  return rest;
}

/** The JSON schema of a zod schema with a custom check. */
function customSchemaOf(schema: z.core.$ZodType): JsonSchema | undefined {
  const taken = acceptedValuesOf(schema);
  if (taken !== undefined) return describe(taken);
  // Our custom schemas check whether a value is an object.
  if (schema instanceof z.ZodCustom) return { type: 'object' };
  if (!(schema instanceof z.ZodPipe)) return undefined;
  const { in: first, out } = schema.def;
  const isLook = first instanceof z.ZodUnknown || first instanceof z.ZodTransform;
  return isLook && !(out instanceof z.ZodTransform) ? inputSchema(out) : undefined;
}

function describe(taken: AcceptedValues): JsonSchema {
  switch (taken.kind) {
    case 'list':
      return {
        type: 'array',
        items: inputSchema(taken.item),
        ...(taken.least > 0 ? { minItems: taken.least } : {}),
        maxItems: taken.most,
      };
    case 'record':
      return { type: 'object', additionalProperties: inputSchema(taken.value), maxProperties: taken.most };
    case 'refused':
      return { enum: [null, ...taken.harmless], description: `Rejected: ${taken.reason}.` };
    case 'ignored':
      return { description: `Ignored: ${taken.reason}.` };
    case 'partly-ignored': {
      const ignored = { ...inputSchema(taken.ignored), description: `Ignored: ${taken.reason}.` };
      return { anyOf: [inputSchema(taken.schema), ignored] };
    }
    case 'any':
      return { anyOf: taken.of.map(inputSchema) };
  }
}

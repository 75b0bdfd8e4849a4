import { ApiError } from '../../errors.ts';
import type { JsonObject } from '../../json-object.ts';
import type { ChatRequest } from '../../requests/chat-request.ts';
import type { GenerationConfig } from './generation-config.ts';
import { jsonSchemaOf } from './schema-object.ts';

interface ResponseFormat {
  readonly fields: Pick<ChatRequest, 'response_format' | 'structured_outputs'>;
  /** The field that requires the format. */
  readonly field: string;
}

/** The structured output that a request requires. */
export function formatOf(config: GenerationConfig): ResponseFormat {
  const { responseMimeType: type, responseSchema: schema, responseJsonSchema: jsonSchema } = config;
  if (schema && jsonSchema)
    throw invalid('responseJsonSchema', 'cannot be combined with responseSchema; send one of them.');
  const field = schema ? 'responseSchema' : jsonSchema ? 'responseJsonSchema' : 'responseMimeType';
  const translated = jsonSchema ?? (schema && jsonSchemaOf(schema));
  if (translated && type === 'text/plain')
    throw invalid('responseMimeType', `must be application/json or text/x.enum with ${field}.`);
  return { fields: fieldsOf(type, translated), field: `generationConfig.${field}` };
}

function fieldsOf(
  type: GenerationConfig['responseMimeType'],
  schema: JsonObject | undefined,
): ResponseFormat['fields'] {
  if (type === 'text/x.enum') return { structured_outputs: { choice: choicesOf(schema) } };
  if (schema) return { response_format: { type: 'json_schema', json_schema: { name: 'response', schema } } };
  return type === 'application/json' ? { response_format: { type: 'json_object' } } : {};
}

/** The response is one of the values as plain text, not as JSON. */
function choicesOf(schema: JsonObject | undefined): string[] {
  const values: unknown = schema?.['enum'];
  if (Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === 'string' && value !== ''))
    return values;
  throw invalid('responseMimeType', 'text/x.enum needs a responseSchema with an enum of strings.');
}

function invalid(name: string, message: string): ApiError {
  const param = `generationConfig.${name}`;
  return new ApiError('invalid_request', `${param}: ${message}`, { param });
}

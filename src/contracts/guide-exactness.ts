import { isJsonObject } from '../json-object.ts';
import type { Structure } from './contract.ts';

/** Keywords that the libraries of vLLM keep to, or that say nothing of a value. */
const exact = new Set(
  `type enum const properties required additionalProperties items prefixItems minItems maxItems minLength maxLength anyOf
  $ref $defs definitions $schema $id $comment title description default examples deprecated readOnly writeOnly
  pattern minimum maximum exclusiveMinimum exclusiveMaximum`.split(/\s+/),
);

const ranges = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];

/**
 * Whether a response that is guided to a structure is known to have it. xgrammar takes characters beyond ASCII in classes
 * for their bytes and leaves some keywords of JSON schema out; a response to a guide with those is to be checked.
 */
export function isGuideExact(structure: Structure): boolean {
  if ('regex' in structure) return isPatternExact(structure.regex);
  return 'json' in structure ? isSchemaExact(structure.json) : true;
}

/** ASCII alone, and no escape for another character. */
function isPatternExact(pattern: string): boolean {
  return !/[^\p{ASCII}]|\\(?:u|x[89A-Fa-f{]|[pPU])/u.test(pattern);
}

function isSchemaExact(schema: unknown): boolean {
  if (!isJsonObject(schema)) return true;
  if (Object.keys(schema).some((keyword) => !exact.has(keyword))) return false;
  const { pattern, type } = schema;
  if (typeof pattern === 'string') {
    if (!isPatternExact(pattern) || 'minLength' in schema || 'maxLength' in schema) return false;
  }
  // Bounds are kept to for whole numbers.
  if (type !== 'integer' && ranges.some((keyword) => keyword in schema)) return false;
  return schemasIn(schema).every(isSchemaExact);
}

/** The schemas directly within a schema. */
function schemasIn(schema: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { properties, $defs, definitions, additionalProperties, items, prefixItems, anyOf } = schema;
  const named = [properties, $defs, definitions].flatMap((each) => (isJsonObject(each) ? Object.values(each) : []));
  const listed = [items, prefixItems, anyOf, additionalProperties].flatMap((each) => each);
  return [...named, ...listed];
}

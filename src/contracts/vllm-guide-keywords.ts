import { isJsonObject } from '../json-object.ts';
import { guideError, memberPath } from './vllm-guide-path.ts';

type Json = Readonly<Record<string, unknown>>;

/** The keywords that apply to values of one type only. */
const keywordsByType: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ['object', 'properties required additionalProperties minProperties maxProperties unevaluatedProperties'.split(' ')],
  ['array', 'items prefixItems additionalItems minItems maxItems unevaluatedItems'.split(' ')],
  ['string', 'minLength maxLength pattern format'.split(' ')],
  ['number', 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'.split(' ')],
];
const otherConstraints = ['type', 'enum', 'const', '$ref', 'allOf', 'anyOf', 'oneOf'];
const constraints = new Set([...otherConstraints, ...keywordsByType.flatMap(([, keywords]) => keywords)]);

/** Whether a schema restricts values. Titles, descriptions and unknown keywords do not. */
export function constrains(schema: Json): boolean {
  return Object.keys(schema).some((keyword) => constraints.has(keyword));
}

/** The types that a schema is about: those that it names, else those that its keywords are for. */
export function typesOf(schema: Json): readonly string[] {
  const { type } = schema;
  if (type === undefined)
    return keywordsByType.filter(([, keywords]) => keywords.some((each) => each in schema)).map(([each]) => each);
  const types = [type].flat() as string[];
  return types.includes('number') ? types.filter((each) => each !== 'integer') : types;
}

/** Whether the value of a keyword needs something that the libraries do not support. */
type KeywordTest = (value: unknown, schema: Json) => boolean;

const always: KeywordTest = () => true;
const notEmpty: KeywordTest = (value) => isJsonObject(value) && Object.keys(value).length > 0;
const whenClosed: KeywordTest = (value, schema) =>
  value !== true && ['$ref', 'allOf', 'anyOf', 'oneOf'].some((each) => each in schema);

/** xgrammar ignores them, llguidance refuses them. */
const refused: readonly (readonly [keyword: string, asks: KeywordTest])[] = [
  ['uniqueItems', (value) => value === true],
  ['contains', (value) => value !== true],
  ['patternProperties', notEmpty],
  ['propertyNames', (value) => !isAnyName(value)],
  ['dependentRequired', notEmpty],
  ['dependentSchemas', notEmpty],
  ['dependencies', notEmpty],
  ['not', (value) => value !== false],
  ['if', (_, schema) => 'then' in schema || 'else' in schema],
  ['$dynamicRef', always],
  ['$recursiveRef', always],
  ['unevaluatedProperties', whenClosed],
  ['unevaluatedItems', whenClosed],
];

/** Refuses the keywords that a backend's libraries do not implement. */
export function refuseKeywords(schema: Json, path: string): void {
  for (const [keyword, isUnsupported] of refused)
    if (Object.hasOwn(schema, keyword) && isUnsupported(schema[keyword], schema))
      throw guideError(
        memberPath(path, keyword),
        'this keyword is not supported: the structured output libraries of this backend do not implement it. ' +
          'Remove it, and check the response for it.',
      );
}

function isAnyName(schema: unknown): boolean {
  if (!isJsonObject(schema)) return schema === true;
  const { type = 'string', ...others } = schema;
  return type === 'string' && !constrains(others);
}

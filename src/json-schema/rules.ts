import { isJsonObject } from '../json-object.ts';
import { patternError } from './pattern.ts';
import { type SchemaPath, schemaError } from './schema-path.ts';

/** Checks the value of a keyword. Throws an error, or returns the nested schemas to check next. */
export type Rule = (value: unknown, path: SchemaPath) => readonly Inner[] | undefined;

/** A schema inside a schema. */
export interface Inner {
  readonly schema: unknown;
  readonly path: SchemaPath;
}

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

const mustBe =
  (isRight: (value: unknown) => boolean, description: string): Rule =>
  (value, path) => {
    if (!isRight(value)) throw schemaError(path, `must be ${description}.`);
    return undefined;
  };

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const anyText = mustBe(isText, 'a string');
const count = mustBe(isCount, 'an integer of at least 0');
const number = mustBe((value) => typeof value === 'number', 'a number');
const flag = mustBe((value) => typeof value === 'boolean', 'true or false');

const type: Rule = (value, path) => {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isKnown =
    names.length > 0 && names.length <= types.length && names.every((each) => types.includes(each as string));
  if (!isKnown) throw schemaError(path, `must be one of ${types.join(', ')}, or an array of them.`);
  return undefined;
};

const pattern: Rule = (value, path) => {
  if (!isText(value)) throw schemaError(path, 'must be a string.');
  const error = patternError(value);
  if (error !== undefined) throw schemaError(path, error);
  return undefined;
};

const one: Rule = (schema, path) => [{ schema, path }];

const several: Rule = (value, path) => {
  if (!Array.isArray(value) || value.length === 0)
    throw schemaError(path, 'must be an array with at least one schema.');
  return value.map((schema, key) => ({ schema, path: { parent: path, key } }));
};

const named: Rule = (value, path) => {
  if (!isJsonObject(value)) throw schemaError(path, 'must be an object whose values are schemas.');
  return Object.entries(value).map(([key, schema]) => ({ schema, path: { parent: path, key } }));
};

const namedByPattern: Rule = (value, path) => {
  const inner = named(value, path);
  for (const { path: at } of inner ?? []) pattern(at.key, at);
  return inner;
};

const dependentRequired: Rule = (value, path) => {
  if (!isJsonObject(value)) throw schemaError(path, 'must be an object whose values are arrays of strings.');
  for (const [key, names] of Object.entries(value)) required(names, { parent: path, key });
  return undefined;
};

const required = mustBe(isTexts, 'an array of strings');

/** The rules of the known keywords of JSON schema. */
export const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['type', type],
  ['enum', mustBe((value) => Array.isArray(value) && value.length > 0, 'an array with at least one value')],
  ['const', () => undefined],
  ['required', required],
  ['dependentRequired', dependentRequired],
  ['pattern', pattern],
  ['format', anyText],
  ['$ref', anyText],
  ['multipleOf', mustBe((value) => typeof value === 'number' && value > 0, 'a number above 0')],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((name) => [name, number] as const),
  ...['Length', 'Items', 'Properties', 'Contains'].flatMap((what) => [
    [`min${what}`, count] as const,
    [`max${what}`, count] as const,
  ]),
  ['uniqueItems', flag],
  ...['properties', '$defs', 'definitions', 'dependentSchemas'].map((name) => [name, named] as const),
  ['patternProperties', namedByPattern],
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((name) => [name, several] as const),
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames'].map((name) => [name, one] as const),
  ...['additionalItems', 'unevaluatedItems', 'contains', 'not', 'if', 'then', 'else'].map(
    (name) => [name, one] as const,
  ),
  // Older drafts use an array where newer ones have prefixItems.
  ['items', (value, path) => (Array.isArray(value) ? several(value, path) : one(value, path))],
]);

/** Pairs of keywords: the first must not be more than the second. */
export const bounds = [
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
  ['minContains', 'maxContains'],
  ['minimum', 'maximum'],
] as const;

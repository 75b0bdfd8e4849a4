import { isJsonObject } from '../json-object.ts';
import { patternFault } from './pattern.ts';
import { type Place, schemaFault } from './place.ts';

/** Checks the value of a keyword. Throws an error, or returns the nested schemas to check next. */
export type Rule = (value: unknown, place: Place) => readonly Inner[] | undefined;

/** A schema inside a schema. */
export interface Inner {
  readonly schema: unknown;
  readonly place: Place;
}

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

const mustBe =
  (isRight: (value: unknown) => boolean, description: string): Rule =>
  (value, place) => {
    if (!isRight(value)) throw schemaFault(place, `must be ${description}.`);
    return undefined;
  };

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const anyText = mustBe(isText, 'a string');
const count = mustBe(isCount, 'a whole number, 0 or more');
const number = mustBe((value) => typeof value === 'number', 'a number');
const flag = mustBe((value) => typeof value === 'boolean', 'true or false');

const type: Rule = (value, place) => {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isKnown =
    given.length > 0 && given.length <= types.length && given.every((each) => types.includes(each as string));
  if (!isKnown) throw schemaFault(place, `must be one of ${types.join(', ')}, or an array of them.`);
  return undefined;
};

const pattern: Rule = (value, place) => {
  if (!isText(value)) throw schemaFault(place, 'must be a string.');
  const fault = patternFault(value);
  if (fault !== undefined) throw schemaFault(place, fault);
  return undefined;
};

const one: Rule = (schema, place) => [{ schema, place }];

const several: Rule = (value, place) => {
  if (!Array.isArray(value) || value.length === 0)
    throw schemaFault(place, 'must be an array with at least one schema.');
  return value.map((schema, key) => ({ schema, place: { parent: place, key } }));
};

const named: Rule = (value, place) => {
  if (!isJsonObject(value)) throw schemaFault(place, 'must be an object whose values are schemas.');
  return Object.entries(value).map(([key, schema]) => ({ schema, place: { parent: place, key } }));
};

const namedByPattern: Rule = (value, place) => {
  const inner = named(value, place);
  for (const { place: at } of inner ?? []) pattern(at.key, at);
  return inner;
};

const dependentRequired: Rule = (value, place) => {
  if (!isJsonObject(value)) throw schemaFault(place, 'must be an object whose values are arrays of strings.');
  for (const [key, names] of Object.entries(value)) required(names, { parent: place, key });
  return undefined;
};

const required = mustBe(isTexts, 'an array of strings');

/** The rules of the known keywords of JSON schema. */
export const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['type', type],
  ['enum', mustBe((value) => Array.isArray(value) && value.length > 0, 'a list with one value or more')],
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
  ['items', (value, place) => (Array.isArray(value) ? several(value, place) : one(value, place))],
]);

/** Pairs of keywords: the first must not be more than the second. */
export const bounds = [
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
  ['minContains', 'maxContains'],
  ['minimum', 'maximum'],
] as const;

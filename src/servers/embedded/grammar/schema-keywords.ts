import { keywordFault, type Part } from './schema-part.ts';

/** Keywords that describe and do not bind. */
const silent = `$schema $id $comment $anchor $defs definitions title description default examples example deprecated
  readOnly writeOnly strict discriminator contentMediaType contentEncoding`.split(/\s+/);

export const ofStrings = ['minLength', 'maxLength', 'pattern', 'format'];
export const ofNumbers = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
export const ofArrays = ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'];
export const ofObjects = ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'];

const known = new Set([
  ...silent,
  ...'type nullable enum const anyOf oneOf allOf $ref'.split(' '),
  ...ofStrings,
  ...ofNumbers,
  ...ofArrays,
  ...ofObjects,
]);

/** Refuses a keyword that nobody here knows: what it asks for would not be kept to. */
export function checkKeywords(part: Part): void {
  for (const keyword of Object.keys(part.schema))
    if (!known.has(keyword)) throw keywordFault([part], keyword, `the keyword ${keyword} is not supported`);
}

import { escapeText } from '../../escape-text.ts';
import { code } from './html.ts';

/** The JSON schema keywords that the document uses. */
export interface DocumentedSchema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly DocumentedSchema[];
  readonly oneOf?: readonly DocumentedSchema[];
  readonly type?: string | readonly string[];
  readonly items?: DocumentedSchema;
  readonly properties?: Readonly<Record<string, DocumentedSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: DocumentedSchema | boolean;
  readonly description?: string;
  readonly default?: unknown;
  readonly [bound: string]: unknown;
}

/** Keywords that limit a value, with their labels. */
const bounds: readonly (readonly [word: string, reads: string])[] = [
  ['minimum', 'at least'],
  ['exclusiveMinimum', 'more than'],
  ['maximum', 'at most'],
  ['exclusiveMaximum', 'less than'],
  ['minLength', 'minimum length'],
  ['maxLength', 'maximum length'],
  ['minItems', 'minimum entries'],
  ['maxItems', 'maximum entries'],
  ['maxProperties', 'maximum members'],
  ['pattern', 'pattern'],
  ['default', 'default'],
];

/** The type of a schema, in a few words. */
export function typeHtml(schema: DocumentedSchema): string {
  if (schema.$ref !== undefined) return referenceHtml(schema.$ref);
  if ('const' in schema) return code(JSON.stringify(schema.const));
  if (schema.enum) return schema.enum.map((value) => code(JSON.stringify(value))).join(' or ');
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return [...new Set(branches.map(typeHtml))].join(' or ');
  if (schema.items) return `array of ${typeHtml(schema.items)}`;
  const { additionalProperties: others } = schema;
  if (typeof others === 'object') return `object of ${typeHtml(others)}`;
  return schema.type === undefined ? 'anything' : escapeText([schema.type].flat().join(' or '));
}

/** A table of the members of an object, or of the objects in a list or union; empty if there are none. */
export function membersHtml(schema: DocumentedSchema): string {
  return objectsIn(schema).map(tableHtml).join('');
}

function objectsIn(schema: DocumentedSchema): readonly DocumentedSchema[] {
  if (Object.keys(schema.properties ?? {}).length > 0) return [schema];
  const { anyOf = [], oneOf = [], items, additionalProperties: others } = schema;
  const inner = [...anyOf, ...oneOf, items, typeof others === 'object' ? others : undefined];
  return inner.filter((each) => each !== undefined).flatMap(objectsIn);
}

function tableHtml({ properties = {}, required = [] }: DocumentedSchema): string {
  const rows = Object.entries(properties).map(([name, member]) => {
    const mark = required.includes(name) ? ' <em>required</em>' : '';
    return `<tr><th scope="row">${code(name)}${mark}</th><td>${memberHtml(member)}</td></tr>`;
  });
  return `<table><tbody>${rows.join('')}</tbody></table>`;
}

/** The type, limits and members of a member. */
export function memberHtml(schema: DocumentedSchema): string {
  const inner = membersHtml(schema);
  return [
    [typeHtml(schema), ...boundsOf(schema)].join(', '),
    schema.description === undefined ? '' : `<br>${escapeText(schema.description)}`,
    inner === '' ? '' : `<details><summary>Members</summary>${inner}</details>`,
  ].join('');
}

function boundsOf(schema: DocumentedSchema): readonly string[] {
  return bounds
    .filter(([word]) => schema[word] !== undefined)
    .map(([word, reads]) => `${reads} ${code(JSON.stringify(schema[word]))}`);
}

const schemaPath = '#/components/schemas/';

/** The anchor of a schema. */
export function schemaAnchor(name: string): string {
  return `schema-${name}`;
}

function referenceHtml(reference: string): string {
  if (!reference.startsWith(schemaPath)) return code(reference);
  const name = reference.slice(schemaPath.length);
  return `<a href="#${escapeText(schemaAnchor(name))}">${escapeText(name)}</a>`;
}

import { escapeText } from '../../escape-text.ts';
import { type DocumentedOperation, operationHtml, type PathOperation } from './operation-html.ts';
import { type DocumentedSchema, membersHtml, schemaAnchor, typeHtml } from './schema-html.ts';

/** The parts of an OpenAPI document that the reference uses. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, DocumentedSchema>> };
}

/** The style of the reference; the content security policy has its digest. */
export const referenceStyle = `
:root { color-scheme: light dark; --line: #8884; --mark: #0b6e99; --soft: #8881; }
@media (prefers-color-scheme: dark) { :root { --mark: #6cc4ee; } }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; }
a { color: var(--mark); }
nav ul { columns: 20rem; padding-left: 1.2rem; }
article, .schema { border-top: 1px solid var(--line); padding: .5rem 0; }
.method { color: var(--mark); font-weight: 700; }
pre { background: var(--soft); overflow-x: auto; padding: .75rem; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid var(--line); padding: .3rem .5rem; text-align: left; vertical-align: top; }
th { font-weight: 400; width: 14rem; }
em { color: var(--mark); font-size: .85em; }
dt { float: left; clear: left; width: 3rem; font-weight: 700; }
dd { margin-left: 3.5rem; }
@media (max-width: 40rem) { th { width: 8rem; } }
`;

/** The document as HTML, without scripts or files from other hosts. */
export function referencePage({ info, paths, components }: ApiDocument): string {
  const groups = groupsOf(paths);
  const schemas = Object.entries(components.schemas);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeText(info.title)} API</title><style>${referenceStyle}</style></head><body><header>`,
    `<h1>${escapeText(info.title)} API ${escapeText(info.version)}</h1><p>${escapeText(info.description)}`,
    ' Machine-readable: <a href="openapi.json">openapi.json</a>.</p></header>',
    '<nav aria-label="Contents">',
    ...[...groups].map(([tag, all]) => `<h2>${escapeText(tag)}</h2><ul>${all.map(linkHtml).join('')}</ul>`),
    '</nav><main>',
    ...[...groups].map(
      ([tag, all]) => `<section><h2>${escapeText(tag)}</h2>${all.map(operationHtml).join('')}</section>`,
    ),
    `<section><h2>schemas</h2>${schemas.map(schemaHtml).join('')}</section></main></body></html>`,
  ].join('\n');
}

/** The operations by their tags, in the order of the document. */
function groupsOf(paths: ApiDocument['paths']): ReadonlyMap<string, readonly PathOperation[]> {
  const groups = new Map<string, PathOperation[]>();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags[0] ?? 'other';
      groups.set(tag, [...(groups.get(tag) ?? []), { ...operation, method, path }]);
    }
  return groups;
}

function linkHtml({ operationId, method, path }: PathOperation): string {
  return `<li><a href="#${escapeText(operationId)}">${escapeText(`${method.toUpperCase()} ${path}`)}</a></li>`;
}

function schemaHtml([name, schema]: [string, DocumentedSchema]): string {
  const anchor = escapeText(schemaAnchor(name));
  const members = membersHtml(schema) || `<p>${typeHtml(schema)}</p>`;
  return `<div class="schema" id="${anchor}"><h3>${escapeText(name)}</h3>${members}</div>`;
}

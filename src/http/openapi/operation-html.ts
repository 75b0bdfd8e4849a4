import { escapeText } from '../../escape-text.ts';
import { code } from './html.ts';
import { type DocumentedSchema, memberHtml, typeHtml } from './schema-html.ts';

interface DocumentedParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: DocumentedSchema;
}

/** Bodies by content type. */
type DocumentedContent = Readonly<Record<string, { readonly schema: DocumentedSchema; readonly example?: unknown }>>;

/** An operation of the document. */
export interface DocumentedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters?: readonly DocumentedParameter[];
  readonly requestBody?: { readonly content: DocumentedContent };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: DocumentedContent }>>;
}

/** An operation with its path and method. */
export interface PathOperation extends DocumentedOperation {
  readonly method: string;
  readonly path: string;
}

/** The HTML of an operation. */
export function operationHtml(operation: PathOperation): string {
  const { operationId, method, path, summary, requestBody, responses } = operation;
  return [
    `<article id="${escapeText(operationId)}">`,
    `<h3><span class="method">${escapeText(method.toUpperCase())}</span> ${code(path)}</h3>`,
    `<p>${escapeText(summary)}</p>`,
    parametersHtml(operation.parameters ?? []),
    requestBody === undefined ? '' : `<h4>Body</h4><p>${typesHtml(requestBody.content)}</p>`,
    // Focusable, so that long lines can be scrolled with the keyboard.
    `<pre tabindex="0"><code>${escapeText(curlLine(operation))}</code></pre>`,
    '<h4>Responses</h4><dl>',
    ...Object.entries(responses).map(
      ([status, { description, content }]) =>
        `<dt>${escapeText(status)}</dt><dd>${escapeText(description)} ${typesHtml(content ?? {})}</dd>`,
    ),
    '</dl></article>',
  ].join('');
}

function parametersHtml(parameters: readonly DocumentedParameter[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: location, required, schema }) => {
    const mark = required ? ' <em>required</em>' : '';
    return `<tr><th scope="row">${code(name)}${mark}</th><td>in the ${escapeText(location)}: ${memberHtml(schema)}</td></tr>`;
  });
  return `<h4>Parameters</h4><table><tbody>${rows.join('')}</tbody></table>`;
}

function typesHtml(content: DocumentedContent): string {
  return Object.entries(content)
    .map(
      ([type, { schema }]) =>
        `${code(type)}: ${schema.description ? escapeText(schema.description) : typeHtml(schema)}`,
    )
    .join('; ');
}

/** A curl command for the operation. */
function curlLine({ method, path, requestBody }: PathOperation): string {
  const words = ['curl'];
  const example = requestBody?.content['application/json']?.example;
  if (method !== 'get' && example === undefined) words.push('-X', method.toUpperCase());
  words.push(`http://localhost:9000${path}`);
  if (example !== undefined) {
    const body = JSON.stringify(example).replaceAll("'", String.raw`'\''`);
    words.push('-H', "'content-type: application/json'", '-d', `'${body}'`);
  }
  return words.join(' ');
}

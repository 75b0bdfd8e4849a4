import { describe, expect, it } from 'vitest';
import { type ApiDocument, referencePage } from './reference-page.ts';

const document: ApiDocument = {
  info: { title: 'Conch', version: '1.2.3', description: 'A <server>.' },
  paths: {
    '/v1/chat/{id}': {
      post: {
        operationId: 'postV1ChatId',
        tags: ['generation'],
        summary: 'Answers & goes.',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string', minLength: 1 } },
          { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100, default: 20 } },
        ],
        requestBody: {
          content: {
            'application/json': { schema: { $ref: '#/components/schemas/Ask' }, example: { text: "it's <so>" } },
          },
        },
        responses: {
          '200': {
            description: 'The response.',
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/Said' } },
              'text/event-stream': { schema: { description: 'Events.' } },
            },
          },
          '400': { description: 'Wrong.' },
        },
      },
    },
    '/health': {
      get: { operationId: 'getHealth', tags: ['health'], summary: 'Says.', responses: {} },
      delete: { operationId: 'deleteHealth', tags: ['health'], summary: 'Ends.', responses: {} },
    },
  },
  components: {
    schemas: {
      Ask: {
        type: 'object',
        required: ['text'],
        properties: {
          text: { type: 'string', description: 'Not <b>.' },
          parts: { type: 'array', maxItems: 3, items: { type: 'object', properties: { kind: { const: 'a' } } } },
          mood: { anyOf: [{ enum: ['good', 'bad'] }, { type: 'null' }] },
          extra: { type: 'object', additionalProperties: { type: ['string', 'number'] } },
          any: {},
        },
      },
      Said: { type: 'string' },
    },
  },
};
const page = referencePage(document);

describe('the page of the API', () => {
  it('has a line to try for each operation', () => {
    const lines = [...page.matchAll(/<pre tabindex="0"><code>(.*?)<\/code><\/pre>/g)].map(([, line]) => line);
    expect(lines).toEqual([
      'curl http://localhost:9000/v1/chat/{id} -H &#39;content-type: application/json&#39; -d ' +
        '&#39;{&quot;text&quot;:&quot;it&#39;\\&#39;&#39;s &lt;so&gt;&quot;}&#39;',
      'curl http://localhost:9000/health',
      'curl -X DELETE http://localhost:9000/health',
    ]);
  });

  it('lists the parameters with their bounds', () => {
    expect(page).toContain(
      '<tr><th scope="row"><code>id</code> <em>required</em></th><td>in the path: string, minimum length <code>1</code></td></tr>' +
        '<tr><th scope="row"><code>limit</code></th><td>in the query: integer, at most <code>100</code>, default <code>20</code></td></tr>',
    );
  });

  it('lists the responses with their content types', () => {
    expect(page).toContain(
      '<dl><dt>200</dt><dd>The response. <code>application/json</code>: <a href="#schema-Said">Said</a>; ' +
        '<code>text/event-stream</code>: Events.</dd><dt>400</dt><dd>Wrong. </dd></dl>',
    );
  });

  it('shows schemas down to their last member', () => {
    expect(page).toContain(
      '<div class="schema" id="schema-Ask"><h3>Ask</h3><table><tbody>' +
        '<tr><th scope="row"><code>text</code> <em>required</em></th><td>string<br>Not &lt;b&gt;.</td></tr>' +
        '<tr><th scope="row"><code>parts</code></th><td>array of object, maximum entries <code>3</code>' +
        '<details><summary>Members</summary><table><tbody>' +
        '<tr><th scope="row"><code>kind</code></th><td><code>&quot;a&quot;</code></td></tr>' +
        '</tbody></table></details></td></tr>' +
        '<tr><th scope="row"><code>mood</code></th><td><code>&quot;good&quot;</code> or <code>&quot;bad&quot;</code> or null</td></tr>' +
        '<tr><th scope="row"><code>extra</code></th><td>object of string or number</td></tr>' +
        '<tr><th scope="row"><code>any</code></th><td>anything</td></tr>' +
        '</tbody></table></div>',
    );
    expect(page).toContain('<div class="schema" id="schema-Said"><h3>Said</h3><p>string</p></div>');
  });

  it('has every text escaped, and nothing that runs or is fetched', () => {
    expect(page).toContain('<p>A &lt;server&gt;.');
    expect(page).toContain('<p>Answers &amp; goes.</p>');
    expect(page).not.toMatch(/<script|<img|<link|@import|url\(|https?:\/\/(?!localhost:9000)/);
  });

  it('has a link to each operation, and a target for each link', () => {
    const locations = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links).toEqual(expect.arrayContaining(['postV1ChatId', 'getHealth', 'deleteHealth', 'schema-Ask']));
    expect(links.filter((id) => !locations.has(id))).toEqual([]);
  });
});

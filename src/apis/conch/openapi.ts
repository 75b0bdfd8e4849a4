import { createHash } from 'node:crypto';
import type { Api, Endpoint } from '../../http/api.ts';
import { openApiDocument } from '../../http/openapi/document.ts';
import type { ApiDocument } from '../../http/openapi/reference-page.ts';
import { anyObject, object, text } from '../../http/openapi/schema-parts.ts';

/** What the OpenAPI document needs. */
export interface DocumentServices {
  readonly version: string;
}

/** GET /openapi.json and GET /docs: the reference of these APIs, as JSON and as HTML. */
export function documentEndpoints(apis: () => readonly Api<never>[]): Endpoint<DocumentServices>[] {
  let document: string | undefined;
  const documentOf = ({ version }: DocumentServices): string =>
    (document ??= JSON.stringify(openApiDocument({ version, apis: apis() })));
  let page: Promise<Page> | undefined;
  return [
    {
      methods: ['GET'],
      paths: ['/openapi.json'],
      group: 'health',
      operations: [
        {
          tag: 'health',
          summary: 'Returns this OpenAPI document.',
          response: { name: 'Document', schema: object({ openapi: text, info: anyObject, paths: anyObject }) },
        },
      ],
      handler: (services) => async (_request, reply) =>
        reply.type('application/json; charset=utf-8').send(documentOf(services)),
    },
    {
      methods: ['GET'],
      paths: ['/docs'],
      group: 'health',
      operations: [{ tag: 'health', summary: 'Returns this document as HTML.', response: 'html' }],
      handler: (services) => async (_request, reply) => {
        page ??= pageOf(documentOf(services));
        const { html, policy } = await page;
        return reply
          .headers({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer' })
          .type('text/html; charset=utf-8')
          .send(html);
      },
    },
  ];
}

interface Page {
  readonly html: string;
  readonly policy: string;
}

async function pageOf(document: string): Promise<Page> {
  const { referencePage, referenceStyle } = await import('../../http/openapi/reference-page.ts');
  const digest = createHash('sha256').update(referenceStyle).digest('base64');
  return {
    html: referencePage(JSON.parse(document) as ApiDocument),
    policy: `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

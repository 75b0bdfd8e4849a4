import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { ApiDocument } from '../openapi/reference-page.ts';

/** GET /docs: the OpenAPI document, which is given as its JSON, as a page to read. */
export function docsRoute(app: FastifyInstance, readDocument: () => string): void {
  let page: { readonly html: string; readonly policy: string } | undefined;
  app.get('/docs', { config: { api: 'health' } }, async (_request, reply) => {
    page ??= await makePage(readDocument());
    return reply
      .headers({ 'content-security-policy': page.policy, 'referrer-policy': 'no-referrer' })
      .type('text/html; charset=utf-8')
      .send(page.html);
  });
}

async function makePage(document: string) {
  const { referencePage, referenceStyle } = await import('../openapi/reference-page.ts');
  const digest = createHash('sha256').update(referenceStyle).digest('base64');
  return {
    html: referencePage(JSON.parse(document) as ApiDocument),
    policy: `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

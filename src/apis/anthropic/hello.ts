import type { Endpoint } from '../../http/api.ts';
import { object, text } from '../../http/openapi/schema-parts.ts';

/** GET /api/hello: Claude Code checks its connection with it, without a key. */
export const helloEndpoint: Endpoint<unknown> = {
  methods: ['GET'],
  paths: ['/api/hello'],
  group: 'health',
  operations: [
    {
      tag: 'health',
      summary: 'Reports that the server can be reached (Claude Code).',
      response: { name: 'Hello', schema: object({ message: text }) },
    },
  ],
  handler: () => async () => ({ message: 'hello' }),
};

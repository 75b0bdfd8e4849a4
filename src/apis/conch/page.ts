import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint } from '../../http/api.ts';
import type { PageFile } from './page-files.ts';

/** What the web UI may load in a browser: its own files, and requests to its own origin. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

/** GET / and the files of the web UI. They need no key: everything in them is public. */
export function pageEndpoints(page: readonly PageFile[]): Endpoint<unknown>[] {
  return page.map((file) => ({
    methods: ['GET'],
    paths: [file.path],
    group: 'page',
    operations: [],
    handler: () => async (request, reply) => sendFile(file, request, reply),
  }));
}

function sendFile(file: PageFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { etag, type, body, zipped, isHashed } = file;
  reply.headers({
    ...headers,
    etag,
    vary: 'accept-encoding',
    'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  reply.type(type);
  if (zipped === undefined || !takesGzip(request.headers['accept-encoding'])) return reply.send(body);
  return reply.header('content-encoding', 'gzip').send(zipped);
}

/** Whether the client has the file with this tag. */
function matchesEtag(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes('*') || tags.includes(etag.replace(/^W\//, ''));
}

function takesGzip(accepted: string | string[] | undefined): boolean {
  const parts = [accepted ?? ''].flat().join(',').toLowerCase().split(',');
  return parts.some((part) => {
    const [coding = '', ...parameters] = part.split(';').map((word) => word.trim());
    return coding === 'gzip' && !parameters.some((word) => /^q=0(\.0*)?$/.test(word));
  });
}

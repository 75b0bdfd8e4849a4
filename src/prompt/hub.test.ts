import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchFromHub, type HubProgress, isHubName } from './hub.ts';
import { hubSettings } from './hub-request.ts';

const commit = 'a'.repeat(40);
const files: Record<string, string> = {
  'tokenizer.json': `{"large": "${'x'.repeat(100_000)}"}`,
  'tokenizer_config.json': '{"bos_token": "<s>"}',
  'additional_chat_templates/tool_use.jinja': '{{ tools }}',
  'model.safetensors': 'weights',
};
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

let servers: Server[];
let cacheFolder: string;
let requests: string[];
let hub: string;
let cdn: string;
/** What the CDN does instead of answering, one entry for each request. */
let errors: ((...args: Parameters<RequestListener>) => void)[];

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const hubListener: RequestListener = (request, response) => {
  const { authorization = 'no token' } = request.headers;
  const path = request.url ?? '';
  requests.push(`hub ${path} ${authorization}`);
  if (path.includes('/missing/')) response.writeHead(404).end();
  else if (path.includes('/gated/') && authorization === 'no token') response.writeHead(401).end();
  else if (path.includes('/gated/')) response.writeHead(403).end();
  else if (path.includes('/broken/')) response.writeHead(503).end();
  else if (path === '/api/models/org/name/revision/main') {
    const siblings = Object.keys(files).map((rfilename) => ({ rfilename }));
    response.end(JSON.stringify({ sha: commit, siblings }));
  } else if (path.startsWith(`/org/name/resolve/${commit}/`)) {
    const file = path.slice(`/org/name/resolve/${commit}/`.length);
    // A large file lies elsewhere, a small one behind a redirect within the hub.
    if (file === 'tokenizer.json') {
      const headers = { location: `${cdn}/blobs/${file}`, 'x-linked-etag': `"${sha256(files[file] ?? '')}"` };
      response.writeHead(302, headers).end();
    } else response.writeHead(307, { location: `/stored/${file}` }).end();
  } else if (path.startsWith('/stored/')) response.end(files[path.slice('/stored/'.length)]);
  else response.end('hello');
};

const cdnListener: RequestListener = (request, response) => {
  requests.push(`cdn ${request.url} ${request.headers.authorization ?? 'no token'}`);
  const error = errors.shift();
  if (error) error(request, response);
  else response.end(files['tokenizer.json']);
};

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}

function fetchName(name: string, settings: { token?: string; offline?: boolean; endpoint?: string } = {}) {
  return fetchFromHub({ name, settings: { endpoint: hub, cacheFolder, ...settings } });
}

beforeEach(async () => {
  servers = [];
  requests = [];
  errors = [];
  cacheFolder = await mkdtemp(join(tmpdir(), 'hub-'));
  hub = await listen(hubListener);
  cdn = await listen(cdnListener);
});

afterEach(async () => {
  for (const server of servers) server.close().closeAllConnections();
  await rm(cacheFolder, { recursive: true, force: true });
});

describe('the hub', () => {
  it('fetches what a tokenizer needs, once, and sends the token to no other host', async () => {
    const progress: HubProgress[] = [];
    const settings = { endpoint: hub, cacheFolder, token: 'secret' };
    const folder = await fetchFromHub({ name: 'org/name', settings, onProgress: (step) => progress.push(step) });
    expect(await filesIn(cacheFolder)).toEqual([
      'models--org--name/refs/main',
      `models--org--name/snapshots/${commit}/additional_chat_templates/tool_use.jinja`,
      `models--org--name/snapshots/${commit}/tokenizer.json`,
      `models--org--name/snapshots/${commit}/tokenizer_config.json`,
    ]);
    expect(await readFile(join(folder, 'tokenizer.json'), 'utf8')).toBe(files['tokenizer.json']);
    expect(requests).toEqual([
      'hub /api/models/org/name/revision/main Bearer secret',
      `hub /org/name/resolve/${commit}/tokenizer.json Bearer secret`,
      'cdn /blobs/tokenizer.json no token',
      `hub /org/name/resolve/${commit}/tokenizer_config.json Bearer secret`,
      'hub /stored/tokenizer_config.json Bearer secret',
      `hub /org/name/resolve/${commit}/additional_chat_templates/tool_use.jinja Bearer secret`,
      'hub /stored/additional_chat_templates/tool_use.jinja Bearer secret',
    ]);
    expect(progress.findLast((step) => step.file === 'tokenizer.json')).toEqual({
      name: 'org/name',
      file: 'tokenizer.json',
      received: 100_013,
      total: 100_013,
    });
    requests = [];
    expect(await fetchName('org/name')).toBe(folder);
    expect(requests).toEqual(['hub /api/models/org/name/revision/main no token']);
  });

  it('uses only the cache when offline, and when the hub is unreachable', async () => {
    const folder = await fetchName('org/name');
    requests = [];
    expect(await fetchName('org/name', { offline: true })).toBe(folder);
    expect(requests).toEqual([]);
    const notes: string[] = [];
    const settings = { endpoint: 'http://127.0.0.1:1', cacheFolder };
    expect(await fetchFromHub({ name: 'org/name', settings, onNote: (note) => notes.push(note) })).toBe(folder);
    expect(notes).toEqual(['127.0.0.1:1 is unreachable (bad port); using the cached files of org/name.']);
    await expect(fetchName('org/other', { offline: true })).rejects.toThrow(
      `org/other is not in the cache ${cacheFolder}, and HF_HUB_OFFLINE forbids downloads.`,
    );
  });

  it('tries again when a download is cut off or damaged, and keeps no piece of it', async () => {
    const whole = files['tokenizer.json'] ?? '';
    errors = [
      (_, response) => {
        response.writeHead(200, { 'content-length': whole.length });
        response.write(whole.slice(0, 1000), () => response.destroy());
      },
      (_, response) => response.end(whole.replace('x', 'y')),
    ];
    const folder = await fetchName('org/name');
    expect(await readFile(join(folder, 'tokenizer.json'), 'utf8')).toBe(whole);
    expect((await filesIn(cacheFolder)).filter((file) => file.endsWith('.part'))).toEqual([]);
    expect(requests.filter((request) => request.startsWith('cdn')).length).toBe(3);
  });

  it('gives up on a download that never comes whole', async () => {
    errors = [1, 2, 3].map(() => (_: unknown, response: Parameters<RequestListener>[1]) => response.end('half'));
    await expect(fetchName('org/name')).rejects.toThrow(
      'org/name cannot be fetched: tokenizer.json arrived incomplete or damaged (4 bytes). Tried 3 times; set HF_ENDPOINT to use another hub.',
    );
    expect(await filesIn(cacheFolder)).toEqual([]);
  });

  it('says in plain words why it cannot', async () => {
    const host = new URL(hub).host;
    const other = await listen((_, response) => response.end('hello'));
    const said = await Promise.all(
      [
        fetchName('missing/model'),
        fetchName('missing/model@v2'),
        fetchName('gated/model'),
        fetchName('gated/model', { token: 'secret' }),
        fetchName('broken/model'),
        fetchName('org/name', { endpoint: other }),
      ].map((attempt) => attempt.catch((error: Error) => error.message)),
    );
    expect(said).toEqual([
      `${host} has no model missing/model. Check the name.`,
      `${host} has no model missing/model with revision v2. Check the name.`,
      `${host} requires a token for model gated/model: it is gated, private or misspelt. Set HF_TOKEN.`,
      `${host} denies access to model gated/model with this HF_TOKEN. Accept the model's terms there, or use another token.`,
      `broken/model cannot be fetched: ${host} returned 503 for model broken/model. Tried 3 times; set HF_ENDPOINT to use another hub.`,
      `The response of ${new URL(other).host} is not that of a Hugging Face hub. Check HF_ENDPOINT.`,
    ]);
  });

  it("honours huggingface_hub's own variables", () => {
    const value = { endpoint: 'https://hub', token: 't', cacheFolder: '/ours' };
    const found = [
      {},
      { HF_HOME: '/home', HF_HUB_OFFLINE: '1' },
      { HF_HOME: '/home', HF_HUB_CACHE: '/cache', HF_HUB_OFFLINE: '0' },
    ].map((environment) => hubSettings(value, environment));
    expect(found).toEqual([
      { endpoint: 'https://hub', token: 't', cacheFolder: '/ours/hub', offline: false },
      { endpoint: 'https://hub', token: 't', cacheFolder: '/home/hub', offline: true },
      { endpoint: 'https://hub', token: 't', cacheFolder: '/cache', offline: false },
    ]);
  });

  it('knows a name from a path', () => {
    const texts = [
      'org/name',
      'gpt2',
      'org/name@main',
      'org/na.me-1',
      './dir',
      '/dir',
      'a/b/c',
      '../x',
      'a/..',
      '~/x',
      '',
    ];
    expect(texts.filter(isHubName)).toEqual(['org/name', 'gpt2', 'org/name@main', 'org/na.me-1']);
  });
});

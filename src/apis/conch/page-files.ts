import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

/** One file of the web UI, as it is sent. */
export interface PageFile {
  /** The URL path: `/`, `/assets/index-1a2b3c4d.js`. */
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
  /** The body in gzip, if the build made it. */
  readonly zipped: Buffer | undefined;
  readonly etag: string;
  /** Its name changes with its content, so clients may cache it forever. */
  readonly isHashed: boolean;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads the built web UI, once: what is served does not change while Conch runs. */
export async function readPage(folder: string): Promise<PageFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const zipped = new Set(names.filter((name) => name.endsWith('.gz')));
  return Promise.all(
    names
      .filter((name) => !zipped.has(name))
      .map(async (name) => {
        const body = await readFile(name);
        const small = `${name}.gz`;
        return pageFile(relative(folder, name), body, zipped.has(small) ? await readFile(small) : undefined);
      }),
  );
}

/** A file by its name inside the folder of the web UI. */
export function pageFile(name: string, body: Buffer, zipped?: Buffer): PageFile {
  const path = `/${name.split(sep).join('/')}`;
  const type = types[extname(name)];
  if (type === undefined)
    throw new Error(`Unknown file type in the web UI: ${path}. Expected ${Object.keys(types).join(', ')}.`);
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 27);
  return {
    path: path === '/index.html' ? '/' : path,
    type,
    body,
    zipped,
    // Weak: the same file has it in gzip too.
    etag: `W/"${digest}"`,
    isHashed: path.startsWith('/assets/'),
  };
}

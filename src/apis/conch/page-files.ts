import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

/** One file of the page, as it is sent. */
export interface PageFile {
  /** From the root on: `/`, `/assets/index-1a2b3c4d.js`. */
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
  /** The same in gzip, where the build made that. */
  readonly zipped: Buffer | undefined;
  readonly etag: string;
  /** Its name changes with what it holds, so that nobody need ask for it twice. */
  readonly isHashed: boolean;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads the built page, once: what is served does not change under a Conch that runs. */
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

/** A file by its name inside the page's folder. */
export function pageFile(name: string, body: Buffer, zipped?: Buffer): PageFile {
  const path = `/${name.split(sep).join('/')}`;
  const type = types[extname(name)];
  if (type === undefined) throw new Error(`The page has a file of a kind that is not served: ${path}`);
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

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Why a small file was not read. */
export type UnreadReason = 'missing' | 'not a file' | 'too large' | 'unreadable';

export type BoundedText = { readonly text: string } | { readonly unread: UnreadReason };

/** The text of a file of at most so many bytes. Pipes, devices and folders are refused without waiting for them. */
export async function readBounded(file: string, mostBytes: number): Promise<BoundedText> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await handle.stat();
      if (!found.isFile()) return { unread: 'not a file' };
      if (found.size > mostBytes) return { unread: 'too large' };
      return { text: await handle.readFile('utf8') };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return { unread: isMissing(error) ? 'missing' : 'unreadable' };
  }
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Whether the path is a folder. Links are followed. */
export async function isFolder(path: string): Promise<boolean> {
  return (await statusOf(path))?.isDirectory() ?? false;
}

/** Whether the path is a file. Links are followed. */
export async function isFile(path: string): Promise<boolean> {
  return (await statusOf(path))?.isFile() ?? false;
}

/** Whether the path exists. A dangling link does not. */
export async function exists(path: string): Promise<boolean> {
  return (await statusOf(path)) !== undefined;
}

function statusOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}

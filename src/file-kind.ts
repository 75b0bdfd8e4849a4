import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Whether there is a folder of this name; a link counts as what it leads to. */
export async function isFolder(path: string): Promise<boolean> {
  return (await statusOf(path))?.isDirectory() ?? false;
}

/** Whether there is a file of this name; a link counts as what it leads to. */
export async function isFile(path: string): Promise<boolean> {
  return (await statusOf(path))?.isFile() ?? false;
}

/** Whether there is anything of this name; a link that leads nowhere is nothing. */
export async function exists(path: string): Promise<boolean> {
  return (await statusOf(path)) !== undefined;
}

function statusOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}

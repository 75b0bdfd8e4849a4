import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of all files below a folder; what vanishes while it looks counts as nothing. */
export function folderSize(folder: string): number {
  let size = 0;
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) size += folderSize(path);
      else if (entry.isFile()) size += statSync(path).size;
    }
  } catch {
    return size;
  }
  return size;
}

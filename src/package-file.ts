import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A file that the package carries, by its path from the package's root on; undefined where it is missing. */
export function packageFile(path: string): string | undefined {
  const file = fileURLToPath(new URL(path, root));
  return existsSync(file) ? file : undefined;
}

/** The nearest folder above that has a package.json: sources and built files are at different depths. */
const root = rootAbove(new URL('./', import.meta.url));

function rootAbove(folder: URL): URL {
  const above = new URL('../', folder);
  return existsSync(new URL('package.json', folder)) || above.href === folder.href ? folder : rootAbove(above);
}

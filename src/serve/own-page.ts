import type { Logger } from 'pino';
import { type PageFile, readPage } from '../apis/conch/page-files.ts';
import { packageFile } from '../package-file.ts';

/** The files of the page, where it is wanted; a build without one is warned of. */
export async function ownPage({ ui }: { readonly ui: boolean }, logger: Logger): Promise<PageFile[] | undefined> {
  if (!ui) return undefined;
  const folder = packageFile('dist/page');
  if (folder !== undefined) return readPage(folder);
  logger.warn('There is no page at /: dist/page is missing from this build. --no-ui says that none is wanted.');
  return undefined;
}

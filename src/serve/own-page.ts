import type { Logger } from 'pino';
import { type PageFile, readPage } from '../apis/conch/page-files.ts';
import { packageFile } from '../package-file.ts';

/** The files of the web UI; undefined if it is off, or missing from the build. */
export async function ownPage({ ui }: { readonly ui: boolean }, logger: Logger): Promise<PageFile[] | undefined> {
  if (!ui) return undefined;
  const folder = packageFile('dist/page');
  if (folder !== undefined) return readPage(folder);
  logger.warn('The web UI is unavailable: dist/page is missing from this build. Set --no-ui to turn it off.');
  return undefined;
}

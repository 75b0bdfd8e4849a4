import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CompiledCode, compiledFolders } from './compiled-code.ts';
import { hideLoaderWarning, PartLoader } from './part-loader.ts';

hideLoaderWarning(process);
const program = dirname(fileURLToPath(import.meta.url));
const folders = compiledFolders(program, process.env);
const parts = new PartLoader({
  folder: join(program, 'parts'),
  require: createRequire(import.meta.url),
  code: folders && new CompiledCode(folders),
});

/** The exports of a part of the built program. */
export function loadPart(part: string): object {
  return parts.load(part);
}

/** Saves compiled code for the next start, if this start had to compile. */
export function saveCompiledCode(): void {
  parts.save();
}

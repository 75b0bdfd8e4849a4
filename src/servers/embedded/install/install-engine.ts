import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EngineError } from '../../../engine-error.ts';
import { messageOf } from '../../../thrown.ts';
import type { EngineModule } from '../engine/engine-types.ts';
import { type EngineVariant, engineVariant, engineVersion, type Gpu, thisMachine } from './engine-package.ts';
import { folderSize, type ProgramResult, runQuietly } from './run-quietly.ts';

/** Where and how the engine is installed. */
export interface InstallOptions {
  readonly cacheDir: string;
  /** Installs the variant for a graphics card: of this kind, or true for the one of this machine. */
  readonly gpu?: boolean | Gpu;
  /** The installed fraction, from 0 to 1; not called if nothing has to be installed. */
  readonly onProgress?: (fraction: number) => void;
  readonly signal?: AbortSignal;
}

/** The engine's code, and whether it was installed for a graphics card. */
export interface InstalledEngine {
  readonly module: EngineModule;
  readonly gpu: boolean;
}

/** Megabytes on disk, measured on Linux; only for the progress bar. */
const megabytes = { undefined: 85, cuda: 700, vulkan: 170, metal: 90 };

/** Imports the installed variant of the engine; installs the one for this machine first if there is none. */
export async function loadEngine(options: InstallOptions): Promise<InstalledEngine> {
  const folder = installedFolder(options.cacheDir) ?? (await installEngine(options));
  const entry = join(folder, 'node_modules', 'node-llama-cpp', 'dist', 'index.js');
  try {
    const module = (await import(pathToFileURL(entry).href)) as EngineModule;
    return { module, gpu: variants(true).some(({ name, gpu }) => gpu && folder.endsWith(name)) };
  } catch (error) {
    throw new EngineError(
      `The engine in ${folder} cannot be loaded (${messageOf(error)}). Delete that folder; the next start downloads it again.`,
      { cause: error },
    );
  }
}

/** Installs the engine into the cache, unless it is there, and returns its folder. */
export async function installEngine(options: InstallOptions): Promise<string> {
  const variant = engineVariant(thisMachine(), options.gpu ?? false);
  const folder = folderOf(options.cacheDir, variant);
  if (isInstalled(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const temporary = await mkdtemp(join(dirname(folder), '.installing-'));
  try {
    await npmInstall(temporary, variant, { ...options, folder });
    await rename(temporary, folder).catch((error: unknown) => {
      // Another Conch process may have been faster: its folder is fine too.
      if (!isInstalled(folder)) throw error;
    });
    options.onProgress?.(1);
    return folder;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The folder of the installed variant. One for a graphics card comes first, because the operator chose it. */
export function installedFolder(cacheDir: string): string | undefined {
  return variants(true)
    .map((variant) => folderOf(cacheDir, variant))
    .find(isInstalled);
}

function variants(withGpu: boolean): EngineVariant[] {
  const kinds: (boolean | Gpu)[] = withGpu ? ['cuda', 'vulkan', false] : [false];
  return kinds.flatMap((kind) => {
    try {
      return [engineVariant(thisMachine(), kind)];
    } catch {
      return [];
    }
  });
}

function folderOf(cacheDir: string, { name }: EngineVariant): string {
  return join(cacheDir, 'engine', `node-llama-cpp-${engineVersion}-${name}`);
}

function isInstalled(folder: string): boolean {
  return existsSync(join(folder, 'node_modules', 'node-llama-cpp', 'dist', 'index.js'));
}

async function npmInstall(
  temporary: string,
  variant: EngineVariant,
  { folder, onProgress, signal }: InstallOptions & { folder: string },
): Promise<void> {
  await writeFile(join(temporary, 'package.json'), '{"private":true}');
  const packages = ['node-llama-cpp', ...variant.packages.map((name) => `@node-llama-cpp/${name}`)];
  const total = megabytes[`${variant.gpu}`] * 2 ** 20;
  const [program, ...first] = npmCommand();
  onProgress?.(0);
  const result = await runQuietly(
    program,
    [
      ...first,
      'install',
      // All variants together are 725 MB; scripts would compile llama.cpp where no prebuilt one fits.
      '--omit=optional',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--no-package-lock',
      // Do not wait minutes for an unreachable registry.
      '--fetch-retries=1',
      '--fetch-retry-mintimeout=1000',
      '--fetch-timeout=60000',
      '--loglevel=error',
      ...packages.map((name) => `${name}@${engineVersion}`),
    ],
    { cwd: temporary, signal, onTick: () => onProgress?.(Math.min(0.99, folderSize(temporary) / total)) },
  );
  if (result.code !== 0) throw installError(result, folder);
}

/** The npm that came with this Node, or else the one on PATH. */
function npmCommand(): [string, ...string[]] {
  const bin = dirname(process.execPath);
  const candidates = [
    process.env['npm_execpath'] ?? '',
    join(bin, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(bin, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ];
  const script = candidates.find((path) => path.endsWith('npm-cli.js') && existsSync(path));
  return script === undefined ? ['npm'] : [process.execPath, script];
}

function installError({ isMissing, output }: ProgramResult, folder: string): EngineError {
  const elsewhere = `or install it on another machine with "conch engine install" and copy the folder to ${folder}`;
  if (isMissing)
    return new EngineError(`npm was not found; Conch installs the engine with it. Install npm, ${elsewhere}.`);
  const code =
    /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED)\b/.exec(
      output,
    )?.[1];
  if (code !== undefined)
    return new EngineError(
      `The engine could not be downloaded: the npm registry is unreachable (${code}). Connect to the network and retry, ${elsewhere}.`,
    );
  if (/\bENOSPC\b/.test(output))
    return new EngineError('The engine could not be installed: the disk is full. Free disk space and retry.');
  const line =
    output.split('\n').find((text) => text.trim() !== '' && !/npm error code|^npm warn/i.test(text)) ??
    'npm gave no reason';
  return new EngineError(`The engine could not be installed: ${line.replace(/^npm (error|ERR!) /i, '').trim()}`);
}

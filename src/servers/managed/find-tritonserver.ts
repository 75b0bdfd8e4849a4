import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

/** A tritonserver on this machine. */
export interface FoundTriton {
  readonly program: string;
  /** Set for one that was unpacked from a wheel, which does not find its backends itself. */
  readonly backendDirectory?: string;
}

interface TritonSearch {
  /** The operator's path; no other is tried then. */
  readonly explicitPath: string | undefined;
  /** The value of PATH. */
  readonly path: string;
  readonly cacheDirectory: string;
}

const containerProgram = '/opt/tritonserver/bin/tritonserver';

/** The error if there is no tritonserver. */
export const noTriton =
  'No tritonserver was found. Set its path with --tritonserver FILE, run Conch inside a Triton container ' +
  `(${containerProgram}), or put tritonserver on PATH. Models with backend: "llamacpp" do not need it.`;

/** Tries the operator's path, or else PATH, the path in Triton's containers and the cache. */
export async function findTritonserver({
  explicitPath,
  path,
  cacheDirectory,
}: TritonSearch): Promise<FoundTriton | undefined> {
  if (explicitPath !== undefined) return (await isProgram(explicitPath)) ? withBackends(explicitPath) : undefined;
  const candidates = [
    ...path
      .split(delimiter)
      .filter(Boolean)
      .map((folder) => join(folder, 'tritonserver')),
    containerProgram,
  ];
  for (const program of candidates) if (await isProgram(program)) return withBackends(program);
  return fromWheel(cacheDirectory);
}

/** The server of the wheel that the tests of Conch unpack. */
async function fromWheel(cacheDirectory: string): Promise<FoundTriton | undefined> {
  const folder = join(cacheDirectory, 'test');
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((entry) => entry.startsWith('tritonserver-'))) {
    const program = join(folder, name, 'pytriton/tritonserver/bin/tritonserver');
    if (await isProgram(program)) return withBackends(program);
  }
  return undefined;
}

/** Triton looks for backends in /opt/tritonserver/backends; a server elsewhere has them next to its bin folder. */
async function withBackends(program: string): Promise<FoundTriton> {
  const backendDirectory = join(dirname(dirname(program)), 'backends');
  if (program === containerProgram || (await readdir(backendDirectory).catch(() => [])).length === 0)
    return { program };
  return { program, backendDirectory };
}

function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

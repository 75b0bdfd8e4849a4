import { existsSync } from 'node:fs';
import { EngineError } from '../../../engine-error.ts';

/** The release that Conch supports. */
export const engineVersion = '3.22.1';

/** The API of a graphics card. */
export type Gpu = 'cuda' | 'vulkan' | 'metal';

/** The machine, as far as the engine's packages differ by it. */
export interface Machine {
  readonly platform: string;
  readonly architecture: string;
  /** Whether the C library is musl, for which there are no prebuilt packages. */
  readonly isMusl: boolean;
  readonly hasNvidia: boolean;
}

/** A variant of the engine: its name in the cache and the packages that it needs in addition to the engine's own. */
export interface EngineVariant {
  readonly name: string;
  readonly packages: readonly string[];
  readonly gpu: Gpu | undefined;
}

const processorPackages: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'linux-arm': 'linux-armv7l',
  'linux-riscv64': 'linux-riscv64',
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
  'win32-x64': 'win-x64',
  'win32-arm64': 'win-arm64',
};

/** The variant for a machine; `gpu` selects one that uses its graphics card. */
export function engineVariant(machine: Machine, gpu: boolean | Gpu): EngineVariant {
  const key = `${machine.platform}-${machine.architecture}`;
  const base = processorPackages[key];
  if (base === undefined || machine.isMusl)
    throw new EngineError(
      `There is no prebuilt llama.cpp for ${machine.platform} on ${machine.architecture}${machine.isMusl ? ' with musl' : ''}. ` +
        'Serve models from a Triton server instead: conch --triton host:8001.',
    );
  if (key === 'darwin-arm64') return { name: base, packages: [base], gpu: 'metal' };
  const kind = gpu === true ? (machine.hasNvidia ? 'cuda' : 'vulkan') : gpu;
  if (kind === false) return { name: base, packages: [base], gpu: undefined };
  if (!base.endsWith('-x64') || base.startsWith('mac') || kind === 'metal')
    throw new EngineError(
      `There is no prebuilt llama.cpp with ${kind} for ${machine.platform} on ${machine.architecture}.`,
    );
  // The package without GPU support is the fallback if the graphics card cannot be used.
  const packages = kind === 'cuda' ? [base, `${base}-cuda`, `${base}-cuda-ext`] : [base, `${base}-vulkan`];
  return { name: `${base}-${kind}`, packages, gpu: kind };
}

/** This machine. */
export function thisMachine(): Machine {
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined;
  return {
    platform: process.platform,
    architecture: process.arch,
    isMusl: process.platform === 'linux' && report?.header?.glibcVersionRuntime === undefined,
    hasNvidia: ['/proc/driver/nvidia', 'C:\\Windows\\System32\\nvidia-smi.exe'].some((path) => existsSync(path)),
  };
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { constants, Script } from 'node:vm';
import type { CompiledCode, Part } from './compiled-code.ts';

/** A part as the build wraps it: a function expression, called like a CommonJS module. */
type PartFunction = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: object },
  filename: string,
  directory: string,
) => void;

interface PartLoaderOptions {
  /** The folder of all parts. */
  readonly folder: string;
  /** Loads what is no part: modules of Node, and packages. */
  readonly require: NodeJS.Require;
  /** Undefined if parts are compiled at each start. */
  readonly code: CompiledCode | undefined;
}

interface UncompiledPart {
  readonly part: Part;
  readonly script: Script;
}

/** In cached code, V8 on Node 20 has no loader for `import()`. Parts that use it are compiled at each start. */
const importsModules = /(?<![\w#$.])import\(/;

/** The warning of Node at the first `import()` of a part. Conch needs that feature, and users cannot act on it. */
const loaderWarning = 'vm.USE_MAIN_CONTEXT_DEFAULT_LOADER';

/** Hides only that warning. */
export function hideLoaderWarning(process: Pick<NodeJS.Process, 'emitWarning'>): void {
  const emitWarning = process.emitWarning.bind(process) as (...details: unknown[]) => void;
  process.emitWarning = (warning: string | Error, ...details: unknown[]): void => {
    if (!String(warning).startsWith(loaderWarning)) emitWarning(warning, ...details);
  };
}

/** Loads the parts of the built program, each once, from compiled code if available. */
export class PartLoader {
  readonly #options: PartLoaderOptions;
  readonly #modules = new Map<string, { exports: object }>();
  readonly #uncompiled: UncompiledPart[] = [];
  readonly #require: NodeJS.Require;

  constructor(options: PartLoaderOptions) {
    this.#options = options;
    const { require } = options;
    const load = (id: string): unknown => (id.startsWith('./') ? this.load(id.slice(2)) : require(id));
    this.#require = Object.assign(load, {
      cache: require.cache,
      extensions: require.extensions,
      main: require.main,
      resolve: require.resolve,
    });
  }

  /** The exports of a part. */
  load(name: string): object {
    const known = this.#modules.get(name);
    if (known) return known.exports;
    const module = { exports: {} };
    // Parts may import each other.
    this.#modules.set(name, module);
    const file = join(this.#options.folder, name);
    const run = this.#compile(name, file).runInThisContext() as PartFunction;
    run.call(module.exports, module.exports, this.#require, module, file, dirname(file));
    return module.exports;
  }

  /** Saves the code of all parts that were compiled here, with the functions that were called so far. */
  save(): void {
    for (const { part, script } of this.#uncompiled) this.#options.code?.save(part, script.createCachedData());
  }

  #compile(name: string, file: string): Script {
    const source = readFileSync(file);
    const text = source.toString();
    const options = {
      filename: pathToFileURL(file).href,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    };
    const { code } = this.#options;
    if (!code || importsModules.test(text)) return new Script(text, options);
    const part: Part = { name, sourceDigest: createHash('sha256').update(source).digest() };
    const cachedData = code.find(part);
    const script = new Script(text, cachedData ? { ...options, cachedData } : options);
    if (script.cachedDataRejected !== false) this.#uncompiled.push({ part, script });
    return script;
  }
}

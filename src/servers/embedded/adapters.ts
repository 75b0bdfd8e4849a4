import { EngineError, messageOf } from './engine-error.ts';
import { loadLora } from './engine-internals.ts';
import type { ContextBinding, LlamaModel, LoraBinding } from './engine-types.ts';
import { invalidArgument } from './faults.ts';
import { readGgufHeader } from './gguf-header.ts';
import { factsOf } from './model-facts.ts';

/** A LoRA adapter of llama.cpp's: a GGUF file and the name that requests choose it by. */
export interface LoraFile {
  readonly name: string;
  readonly file: string;
  /** How strongly it changes the model; left out: 1. */
  readonly scale?: number;
}

/** The adapters of one model. All are kept loaded; the context uses one at a time, or none. */
export class Adapters {
  readonly #model: LlamaModel;
  readonly #context: ContextBinding | undefined;
  readonly #loaded = new Map<string, { readonly lora: LoraBinding; readonly scale: number }>();
  readonly #loading = new Set<string>();

  constructor(model: LlamaModel, context: ContextBinding | undefined) {
    this.#model = model;
    this.#context = context;
  }

  get names(): string[] {
    return [...this.#loaded.keys()];
  }

  async load({ name, file, scale = 1 }: LoraFile): Promise<void> {
    if (this.#loaded.has(name) || this.#loading.has(name))
      throw new EngineError(`There are two LoRA adapters named ${name}.`);
    this.#loading.add(name);
    try {
      this.#loaded.set(name, { lora: await this.#read(file), scale });
    } finally {
      this.#loading.delete(name);
    }
  }

  async #read(file: string): Promise<LoraBinding> {
    if (!factsOf(await readGgufHeader(file)).isAdapter)
      throw new EngineError(`${file} is a GGUF file, but not a LoRA adapter.`);
    try {
      return await loadLora(this.#model, file);
    } catch (error) {
      throw new EngineError(`The LoRA adapter ${file} does not fit this model: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Forgets an adapter's name; its memory goes with the model. */
  unload(name: string): void {
    this.check(name);
    this.#loaded.delete(name);
  }

  /** Refuses a name that is not here, in the words of the vLLM backend. */
  check(name: string | undefined): void {
    if (name === undefined || this.#loaded.has(name)) return;
    if (this.#loaded.size === 0) throw invalidArgument('LoRA feature is not enabled.');
    const known = this.names.map((known) => `'${known}'`).join(', ');
    throw invalidArgument(`LoRA ${name} is not supported, we currently support [${known}]`);
  }

  /** Makes the context evaluate with this adapter, or with none, from the next batch on. */
  readonly use = (name: string | undefined): void => {
    const adapter = name === undefined ? undefined : this.#loaded.get(name);
    this.#context?.setLoras(adapter ? [adapter.lora] : [], adapter ? [adapter.scale] : []);
  };
}

import { EngineError } from '../../../engine-error.ts';
import { messageOf } from '../../../thrown.ts';
import { readGgufHeader } from '../gguf/header.ts';
import { loadLora } from './engine-internals.ts';
import type { Bindings, ContextBinding, LoraBinding, ModelBinding } from './engine-types.ts';
import { factsOf } from './model-facts.ts';
import { invalidArgument } from './status-errors.ts';

/** A LoRA adapter of llama.cpp: a GGUF file, and its name in requests. */
export interface LoraFile {
  readonly name: string;
  readonly file: string;
  /** How strongly it changes the model; left out: 1. */
  readonly scale?: number;
}

/** An adapter in memory. Requests hold the adapter, not its name, which can be unloaded or reused meanwhile. */
export interface Adapter {
  readonly lora: LoraBinding;
  readonly scale: number;
}

interface AdaptersOptions {
  readonly bindings: Bindings;
  readonly model: ModelBinding;
  readonly context: ContextBinding | undefined;
  /** Runs something while nothing is evaluated. */
  exclusively(work: () => Promise<void>): Promise<void>;
}

/** The adapters of one model. All stay loaded; the context uses one at a time, or none. */
export class Adapters {
  readonly #options: AdaptersOptions;
  readonly #loaded = new Map<string, Adapter>();
  readonly #loading = new Map<string, Promise<LoraBinding>>();
  /** How many requests hold each adapter. */
  readonly #holders = new Map<Adapter, number>();
  #used: Adapter | undefined;
  /** The model's list of adapters is changed by one load or free at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: AdaptersOptions) {
    this.#options = options;
  }

  get names(): string[] {
    return [...this.#loaded.keys()];
  }

  async load({ name, file, scale = 1 }: LoraFile): Promise<void> {
    if (this.#loaded.has(name) || this.#loading.has(name))
      throw new EngineError(`A LoRA adapter named ${name} is already loaded. Use another name.`);
    const reading = this.#read(file);
    this.#loading.set(name, reading);
    try {
      this.#loaded.set(name, { lora: await reading, scale });
    } finally {
      this.#loading.delete(name);
    }
  }

  /** Resolves once no adapter is loading. */
  async whenRead(): Promise<void> {
    await Promise.allSettled(this.#loading.values());
  }

  /** Forgets an adapter's name. Its memory is freed when the last request that holds it lets go. */
  unload(name: string): void {
    const adapter = this.#find(name);
    this.#loaded.delete(name);
    if (!this.#holders.has(adapter)) this.#free(adapter);
  }

  /** The adapter of a request, which must release it in the end. Throws for an unknown name. */
  hold(name: string | undefined): Adapter | undefined {
    if (name === undefined) return undefined;
    const adapter = this.#find(name);
    this.#holders.set(adapter, (this.#holders.get(adapter) ?? 0) + 1);
    return adapter;
  }

  letGo(adapter: Adapter | undefined): void {
    if (!adapter) return;
    const others = (this.#holders.get(adapter) ?? 0) - 1;
    if (others > 0) {
      this.#holders.set(adapter, others);
      return;
    }
    this.#holders.delete(adapter);
    if (![...this.#loaded.values()].includes(adapter)) this.#free(adapter);
  }

  /** Makes the context evaluate with this adapter, or with none, from the next batch on. */
  readonly use = (adapter: Adapter | undefined): void => {
    this.#options.context?.setLoras(adapter ? [adapter.lora] : [], adapter ? [adapter.scale] : []);
    this.#used = adapter;
  };

  async #read(file: string): Promise<LoraBinding> {
    if (!factsOf(await readGgufHeader(file)).isAdapter)
      throw new EngineError(`${file} is a GGUF file, but not a LoRA adapter.`);
    const { bindings, model } = this.#options;
    try {
      return await this.#afterLast(() => loadLora(bindings, model, file));
    } catch (error) {
      throw new EngineError(`The LoRA adapter ${file} does not fit this model: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Throws with the wording of the vLLM backend. */
  #find(name: string): Adapter {
    const adapter = this.#loaded.get(name);
    if (adapter) return adapter;
    if (this.#loaded.size === 0) throw invalidArgument('LoRA feature is not enabled.');
    const known = this.names.map((known) => `'${known}'`).join(', ');
    throw invalidArgument(`LoRA ${name} is not supported, we currently support [${known}]`);
  }

  /** Frees an adapter without holders; only the current batch may still use it. */
  #free(adapter: Adapter): void {
    const freed = this.#options.exclusively(async () => {
      if (this.#used === adapter) this.use(undefined);
      await this.#afterLast(() => adapter.lora.dispose());
    });
    // The model frees it if this fails.
    freed.catch(() => undefined);
  }

  #afterLast<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

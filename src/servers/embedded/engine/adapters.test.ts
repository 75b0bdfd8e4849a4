import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { writeAdapter } from '../../../../test/embedded/gguf-adapter.ts';
import { type Adapter, Adapters } from './adapters.ts';
import { Engine } from './engine.ts';
import type { Bindings, ContextBinding, EngineModule, LlamaModel, LoraBinding, ModelBinding } from './engine-types.ts';
import { LoadedModel } from './loaded-model.ts';
import { Vocabulary } from './vocabulary.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-adapters-'));
const file = join(folder, 'a.gguf');
writeAdapter(file, { architecture: 'llama', tensor: 'blk.0.ffn_down.weight', inputs: 4, outputs: 4, strength: 1 });
afterAll(() => rmSync(folder, { recursive: true }));

/** A binding that numbers the adapters and notes what is done with them. */
class NotingBinding {
  readonly notes: string[] = [];
  /** What a load waits for. */
  ready: Promise<void> = Promise.resolve();
  readonly numbers = new Map<LoraBinding, number>();

  readonly bindings = {
    AddonModelLora: NotingBinding.#loraClass(this),
  } as unknown as Bindings;

  readonly model = {
    loadLora: async (lora: LoraBinding) => {
      this.notes.push(`load ${this.numbers.get(lora)}`);
      await this.ready;
      this.notes.push(`loaded ${this.numbers.get(lora)}`);
    },
  } as unknown as ModelBinding;

  readonly context = {
    setLoras: (loras: LoraBinding[]) =>
      this.notes.push(`use ${loras.map((lora) => this.numbers.get(lora)).join() || 'none'}`),
  } as unknown as ContextBinding;

  static #loraClass(binding: NotingBinding): Bindings['AddonModelLora'] {
    return class {
      readonly filePath: string;

      constructor(_: ModelBinding, filePath: string) {
        this.filePath = filePath;
        binding.numbers.set(this, binding.numbers.size + 1);
      }

      async dispose(): Promise<void> {
        binding.notes.push(`free ${binding.numbers.get(this)}`);
      }
    };
  }
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

function adaptersOver(
  { bindings, model, context }: NotingBinding,
  exclusively = (work: () => Promise<void>) => work(),
): Adapters {
  return new Adapters({ bindings, model, context, exclusively });
}

describe('Adapters', () => {
  it('reads a file again after an unload, and frees adapters without holders', async () => {
    const binding = new NotingBinding();
    const adapters = adaptersOver(binding);
    for (const _ of [1, 2]) {
      await adapters.load({ name: 'a', file });
      adapters.unload('a');
      await settle();
    }
    expect(binding.notes).toEqual(['load 1', 'loaded 1', 'free 1', 'load 2', 'loaded 2', 'free 2']);
    expect(adapters.names).toEqual([]);
  });

  it('keeps an unloaded adapter for those who hold it, beside a new one of its name', async () => {
    const binding = new NotingBinding();
    const adapters = adaptersOver(binding);
    await adapters.load({ name: 'a', file });
    const held = [adapters.hold('a'), adapters.hold('a')];
    adapters.unload('a');
    expect(() => adapters.hold('a')).toThrow('LoRA feature is not enabled.');
    await adapters.load({ name: 'a', file });
    const renewed = adapters.hold('a');
    expect(held[0]).toBe(held[1]);
    expect(renewed).not.toBe(held[0]);
    const loads = ['load 1', 'loaded 1', 'load 2', 'loaded 2'];
    adapters.use(held[0]);
    adapters.letGo(held[0]);
    await settle();
    expect(binding.notes).toEqual([...loads, 'use 1']);
    adapters.letGo(held[1]);
    adapters.letGo(renewed);
    await settle();
    expect(binding.notes).toEqual([...loads, 'use 1', 'use none', 'free 1']);
  });

  it('takes an adapter from the context only when nothing is evaluated', async () => {
    const binding = new NotingBinding();
    const waiting: (() => Promise<void>)[] = [];
    const adapters = adaptersOver(binding, async (work) => {
      waiting.push(work);
    });
    await adapters.load({ name: 'a', file });
    const adapter = adapters.hold('a') as Adapter;
    adapters.use(adapter);
    adapters.letGo(adapter);
    expect(waiting).toEqual([]);
    adapters.unload('a');
    await settle();
    expect(binding.notes).toEqual(['load 1', 'loaded 1', 'use 1']);
    await waiting[0]?.();
    expect(binding.notes).toEqual(['load 1', 'loaded 1', 'use 1', 'use none', 'free 1']);
    expect(waiting).toHaveLength(1);
  });

  it('loads one at a time', async () => {
    const binding = new NotingBinding();
    const adapters = adaptersOver(binding);
    await Promise.all(['a', 'b'].map((name) => adapters.load({ name, file })));
    expect(binding.notes).toEqual(['load 1', 'loaded 1', 'load 2', 'loaded 2']);
    expect(adapters.names.toSorted()).toEqual(['a', 'b']);
  });
});

describe('a loaded model', () => {
  it('is not freed while an adapter is being loaded onto it', async () => {
    const binding = new NotingBinding();
    let finish = (): void => undefined;
    binding.ready = new Promise((resolve) => {
      finish = resolve;
    });
    const llama = { _bindings: binding.bindings };
    const module = { getLlama: async () => llama } as unknown as EngineModule;
    const loaded = new LoadedModel({
      name: 'm',
      version: '1',
      engine: await Engine.start({ load: async () => ({ module, gpu: false }) }),
      model: { _model: binding.model, dispose: async () => binding.notes.push('dispose') } as unknown as LlamaModel,
      context: undefined,
      vocabulary: new Vocabulary(binding.model, { size: 1, kind: 'gpt2' }),
      contextLength: 16,
      sequences: 1,
      batchSize: 1,
      queueSize: 1,
      threads: 1,
      memory: 1,
    });
    const loading = loaded.loadAdapter({ name: 'a', file });
    const disposed = loaded.dispose();
    await settle();
    expect(binding.notes).not.toContain('dispose');
    finish();
    await Promise.all([loading, disposed]);
    expect(binding.notes).toEqual(['load 1', 'loaded 1', 'dispose']);
  });
});

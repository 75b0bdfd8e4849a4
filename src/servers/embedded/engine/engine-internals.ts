/* oxlint-disable no-underscore-dangle -- the only file that uses the internals of node-llama-cpp's classes */
import type {
  Bindings,
  ContextBinding,
  Llama,
  LlamaContext,
  LlamaModel,
  LoraBinding,
  ModelBinding,
} from './engine-types.ts';

/** The constructors of the native binding. */
export function bindingsOf(llama: Llama): Bindings {
  return llama._bindings;
}

/** A model's vocabulary and tokenizer. */
export function modelBinding(model: LlamaModel): ModelBinding {
  return model._model;
}

/** The binding that evaluates and samples. */
export function contextBinding(context: LlamaContext): ContextBinding {
  return context._ctx;
}

/** Loads an adapter from its file each time: node-llama-cpp itself caches adapters by path. */
export async function loadLora({ AddonModelLora }: Bindings, model: ModelBinding, file: string): Promise<LoraBinding> {
  const lora = new AddonModelLora(model, file);
  await model.loadLora(lora);
  return lora;
}

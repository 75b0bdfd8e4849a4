/* oxlint-disable no-underscore-dangle -- the one place that reaches beneath node-llama-cpp's own classes */
import type {
  Bindings,
  ContextBinding,
  Llama,
  LlamaContext,
  LlamaModel,
  LoraBinding,
  ModelBinding,
} from './engine-types.ts';

/** The constructors of the binding. */
export function bindingsOf(llama: Llama): Bindings {
  return llama._bindings;
}

/** A model's vocabulary and tokenizer. */
export function modelBinding(model: LlamaModel): ModelBinding {
  return model._model;
}

/** What evaluates and samples. */
export function contextBinding(context: LlamaContext): ContextBinding {
  return context._ctx;
}

/** Reads an adapter for a model, each time anew: node-llama-cpp itself keeps what it once read from a path. */
export async function loadLora({ AddonModelLora }: Bindings, model: ModelBinding, file: string): Promise<LoraBinding> {
  const lora = new AddonModelLora(model, file);
  await model.loadLora(lora);
  return lora;
}

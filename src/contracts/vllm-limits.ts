import type { ModelConfig } from '../kserve/messages.ts';
import type { Limits } from './contract.ts';

/** The context length that a model's configuration declares among its parameters, if it does. */
export function declaredLimits(config: ModelConfig): Limits {
  for (const name of ['max_model_len', 'context_length']) {
    const value = Number(config.parameters[name]?.string_value);
    if (Number.isSafeInteger(value) && value > 0) return { context: value };
  }
  return {};
}

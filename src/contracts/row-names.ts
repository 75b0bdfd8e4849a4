import type { ModelConfig } from '../kserve/messages.ts';
import type { RowTask } from './row-contracts.ts';
import { datatypeOf } from './row-inputs.ts';
import type { TensorSettings } from './row-settings.ts';

const keys = ['input', 'attention_mask', 'token_type_ids', 'output'] as const;
const keysOfNumbers: ReadonlySet<string> = new Set(['attention_mask', 'token_type_ids']);

/** What is wrong with the tensor names in a section of the configuration file; undefined: nothing. */
export function misnamed(
  { input, output }: ModelConfig,
  section: RowTask,
  names: TensorSettings | undefined,
): string | undefined {
  for (const key of keys) {
    const tensorName = names?.[key];
    if (tensorName === undefined) continue;
    const [kind, tensors] = key === 'output' ? ['output', output] : ['input', input];
    const tensor = tensors.find(({ name }) => name === tensorName);
    const is = `${section}.${key} is set to ${tensorName}`;
    if (!tensor)
      return `${is}, but it has no ${kind} of this name; it has ${tensors.map(({ name }) => name).join(', ')}`;
    if (keysOfNumbers.has(key) && datatypeOf(tensor) === undefined) return `${is}, which is neither INT32 nor INT64`;
  }
  return undefined;
}

import { rememberJson } from './jinja/text.ts';
import { toValue, type Value } from './jinja/values.ts';

const values = new WeakMap<readonly unknown[], Value>();

/**
 * A list of tools as templates see it. It is made once for each list, and so is the JSON that templates write of the list,
 * of a tool and of its function: no template can change a value.
 */
export function toolsValue(tools: readonly unknown[]): Value {
  const known = values.get(tools);
  if (known !== undefined) return known;
  const value = toValue(tools);
  rememberJson(value);
  for (const tool of value as Value[]) {
    rememberJson(tool);
    if (tool instanceof Map) rememberJson(tool.get('function') ?? null);
  }
  values.set(tools, value);
  return value;
}

import { binaryOf } from '../../kserve/json-value.ts';
import { quoteJson, writeJson } from '../../kserve/json-write.ts';
import type { InferResponse } from '../../kserve/server.ts';
import { elementsOf, ownParameters } from './infer-response.ts';

/** A response of `generate` as JSON in a binary string: members by name, a tensor of one element without its brackets. */
export function generateEvent(response: InferResponse): string {
  const members = new Map<string, string>();
  const add = (name: string, json: string): void => {
    if (!members.has(name)) members.set(name, json);
  };
  if (response.id !== '') add('id', quoteJson(binaryOf(response.id)));
  add('model_name', quoteJson(binaryOf(response.model)));
  add('model_version', quoteJson(response.version));
  for (const [name, value] of ownParameters(response)) add(name, writeJson(value));
  for (const output of response.outputs) {
    const elements = elementsOf(output, response.raw(output.name) ?? Buffer.alloc(0));
    add(binaryOf(output.name), elements.length === 1 ? (elements[0] as string) : `[${elements.join(',')}]`);
  }
  const sorted = [...members].toSorted(([first], [second]) => (first < second ? -1 : 1));
  return `{${sorted.map(([name, json]) => `${quoteJson(name)}:${json}`).join(',')}}`;
}

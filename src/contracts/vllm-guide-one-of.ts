import { isJsonObject } from '../json-object.ts';
import { typesOf } from './vllm-guide-keywords.ts';

type Json = Readonly<Record<string, unknown>>;

/** Whether it is plain to see that no value satisfies two of these schemas: then one of them is as good as any. */
export function areApart(schemas: readonly unknown[]): boolean {
  const branches = schemas.filter(isJsonObject);
  if (branches.length < schemas.length) return false;
  return branches.length < 2 || haveOwnTypes(branches) || haveOwnValues(branches);
}

function haveOwnTypes(branches: readonly Json[]): boolean {
  const types = branches.flatMap((branch) => {
    // Keywords of one type say nothing about values of the others.
    const own = branch['type'] === undefined ? ['any', 'any'] : typesOf(branch);
    return own.map((type) => (type === 'integer' ? 'number' : type));
  });
  return new Set(types).size === types.length;
}

/** A property that each of them requires, with other values in each. */
function haveOwnValues(branches: readonly Json[]): boolean {
  const [first = {}] = branches;
  return Object.keys(first['properties'] ?? {}).some((name) => {
    const seen = new Set<string>();
    return branches.every((branch) => valuesOf(branch, name)?.every((value) => seen.size < seen.add(value).size));
  });
}

/** Undefined where a branch does not say which values the property has, or does not require it. */
function valuesOf({ type, properties, required }: Json, name: string): readonly string[] | undefined {
  const property = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (type !== 'object' || !isJsonObject(property)) return undefined;
  if (!Array.isArray(required) || !required.includes(name)) return undefined;
  if (Object.hasOwn(property, 'const')) return [JSON.stringify(property['const'])];
  return Array.isArray(property['enum']) ? property['enum'].map((value) => JSON.stringify(value)) : undefined;
}

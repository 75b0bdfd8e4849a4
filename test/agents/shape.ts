import type { RecordedRequest } from './recording.ts';

/** Fields whose content belongs to one tool. */
const opaque = new Set(['parameters', 'parametersJsonSchema', 'input_schema', 'arguments', 'args', 'client_metadata']);

/** What a client sends, as a sorted list: paths, headers, fields with their types, tools and beta features. */
export function shapeOf(requests: readonly RecordedRequest[]): string[] {
  const facts = new Set<string>();
  for (const { method, path, headers, body } of requests) {
    const route = `${method} ${path}`;
    facts.add(route);
    for (const name of Object.keys(headers)) facts.add(`${route} header ${name}`);
    for (const beta of headers['anthropic-beta']?.split(',') ?? []) facts.add(`${route} beta ${beta}`);
    addFields(facts, route, body);
  }
  return [...facts].toSorted();
}

function addFields(facts: Set<string>, path: string, value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) addFields(facts, `${path}[]`, item);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const { type, name } = value as { type?: unknown; name?: unknown };
  if (typeof type === 'string') facts.add(`${path} type ${type}`);
  if (typeof name === 'string') facts.add(`${path} name ${name}`);
  for (const [key, item] of Object.entries(value)) {
    facts.add(`${path} .${key}: ${kindOf(item)}`);
    if (!opaque.has(key)) addFields(facts, `${path} .${key}`, item);
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** What one list has and the other lacks, a line each. */
export function changesBetween(before: readonly string[], after: readonly string[]): string[] {
  const removed = before.filter((fact) => !after.includes(fact)).map((fact) => `- ${fact}`);
  const added = after.filter((fact) => !before.includes(fact)).map((fact) => `+ ${fact}`);
  return [...removed, ...added];
}

import type { ModelRegistry } from './registry.ts';

/** The tag that Ollama adds to a name without one. */
const usualTag = ':latest';

/** A name as Ollama lists it, always with a tag: clients complete their names and look them up in the list. */
export function taggedName(name: string): string {
  return name.includes(':') ? name : name + usualTag;
}

/** The served name of a name that may have Ollama's usual tag, which is removed unless it is part of a served name. */
export function servedName(name: string, models: Pick<ModelRegistry, 'targets'>): string {
  if (!name.endsWith(usualTag) || models.targets().has(name)) return name;
  return name.slice(0, -usualTag.length);
}

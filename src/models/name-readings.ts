import type { RegistryOptions } from './registry-options.ts';

/** One interpretation of a name: a model on the servers, or a model with an adapter. */
export interface NameReading {
  /** The name without the adapter. */
  readonly base: string;
  readonly root: string;
  readonly adapter: string | undefined;
}

/** All interpretations of a name: the model of that name, then models with adapters, the shortest name first. */
export function readingsOf(
  name: string,
  { loraSeparator: separator, aliases }: Pick<RegistryOptions, 'loraSeparator' | 'aliases'>,
): NameReading[] {
  const readings: NameReading[] = [{ base: name, root: aliases.get(name) ?? name, adapter: undefined }];
  for (let at = name.indexOf(separator); at > 0; at = name.indexOf(separator, at + 1)) {
    const base = name.slice(0, at);
    const adapter = name.slice(at + separator.length);
    if (adapter !== '') readings.push({ base, root: aliases.get(base) ?? base, adapter });
  }
  return readings;
}

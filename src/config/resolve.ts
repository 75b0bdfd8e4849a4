import type { z } from 'zod';
import { looksLikePath, namedFile, resolvePath } from './paths.ts';
import { plainWords, problemsOf } from './problem.ts';
import { type DefaultContext, longFlag, type ProcessContext, type Setting, type SettingTable } from './setting.ts';
import type { SettingInput } from './setting-input.ts';
import type { Origin } from './settings.ts';

/** The values in effect, under `port` or `models.llama.tokenizer`, and where they came from. */
export interface ResolvedSettings {
  readonly values: Record<string, unknown>;
  readonly models: Record<string, Record<string, unknown>>;
  readonly origins: Map<string, Origin>;
  readonly problems: string[];
}

interface ResolveOptions {
  readonly settings: SettingTable;
  readonly models: SettingTable;
  readonly context: ProcessContext;
}

/**
 * Checks every value, also those that another source overrides. The last value of each setting takes effect: `inputs` is
 * in the order of precedence.
 */
export function resolve(
  inputs: readonly SettingInput[],
  { settings, models, context }: ResolveOptions,
): ResolvedSettings {
  const refused = new Set<string>();
  // Users choose the names of models: `__proto__` is one like any other.
  const byName: ResolvedSettings['models'] = Object.create(null);
  const resolved: ResolvedSettings = { values: {}, models: byName, origins: new Map(), problems: [] };
  for (const entry of inputs) {
    const setting = (entry.model === undefined ? settings : models)[entry.name];
    if (setting === undefined) continue;
    if (entry.model !== undefined) resolved.models[entry.model] ??= {};
    const result = parse(setting, entry.input);
    if (!result.success) {
      const facts = { schema: setting.schema, input: entry.input, secret: setting.secret ?? false };
      const found = problemsOf(result.error, facts).map(({ path, text }) => `${entry.label(path)} ${text}`);
      resolved.problems.push(...found);
      refused.add(entry.name);
      continue;
    }
    const value = withPath(setting, result.data, { homeDirectory: context.homeDirectory, entry });
    const target = entry.model === undefined ? resolved.values : resolved.models[entry.model];
    if (target !== undefined) target[entry.name] = value;
    const key = entry.model === undefined ? entry.name : `models.${entry.model}.${entry.name}`;
    resolved.origins.set(key, { source: entry.source, where: entry.where });
  }
  const missing = Object.entries(settings).filter(
    ([name]) => !Object.hasOwn(resolved.values, name) && !refused.has(name),
  );
  addDefaults(resolved, { missing, context: { ...context, isSet: (name) => resolved.origins.has(name) } });
  return resolved;
}

function addDefaults(
  { values, problems }: ResolvedSettings,
  { missing, context }: { missing: readonly (readonly [string, Setting])[]; context: DefaultContext },
): void {
  for (const [name, setting] of missing) {
    if (setting.derive !== undefined) {
      values[name] = setting.derive(context);
      continue;
    }
    const result = parse(setting, undefined);
    if (result.success) values[name] = result.data;
    else problems.push(`${longFlag(name)} is missing. Set it.`);
  }
}

function parse({ schema }: Setting, input: unknown): z.ZodSafeParseResult<unknown> {
  return schema.safeParse(input, { error: plainWords });
}

function withPath(
  { path }: Setting,
  value: unknown,
  { homeDirectory, entry: { file } }: { homeDirectory: string; entry: SettingInput },
): unknown {
  if (path === undefined) return value;
  const resolved = (written: string): string => {
    if (path === 'folder-or-name' && !looksLikePath(written)) return written;
    const [name, location] = path === 'named-file' ? namedFile(written) : ['', written];
    return name + resolvePath(location, { homeDirectory, ...(file === undefined ? {} : { file }) });
  };
  if (path === 'folders-in-map') return withFolders(value, resolved);
  if (Array.isArray(value)) return value.map((item: unknown) => (typeof item === 'string' ? resolved(item) : item));
  return typeof value === 'string' ? resolved(value) : value;
}

function withFolders(value: unknown, resolved: (written: string) => string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const folders: readonly [string, { readonly dir?: string }][] = Object.entries(value);
  return Object.fromEntries(
    folders.map(([name, entry]) => [name, entry.dir === undefined ? entry : { ...entry, dir: resolved(entry.dir) }]),
  );
}

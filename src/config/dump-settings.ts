import { inspect } from 'node:util';
import { fileKey, type Setting } from './setting.ts';
import { originOf, type Settings, settingTable } from './settings.ts';

/** The settings in effect for people to read: values as in the file, where each came from, and no secrets. */
export function dumpSettings(settings: Settings): Record<string, unknown> {
  const dump: Record<string, unknown> = {};
  for (const [name, { secret }] of Object.entries<Setting>(settingTable)) {
    const value: unknown = Reflect.get(settings, name);
    if (value === undefined) continue;
    dump[fileKey(name)] = { value: secret ? '[secret]' : value, from: originOf(settings, name).where };
  }
  return { ...dump, models: settings.models };
}

/** The same settings; whoever prints them by accident prints them without the secrets. */
export function guarded(settings: Settings): Settings {
  const dump = { value: () => dumpSettings(settings) };
  return Object.defineProperties(settings, { toJSON: dump, [inspect.custom]: dump });
}

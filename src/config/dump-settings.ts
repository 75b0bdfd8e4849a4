import { inspect } from 'node:util';
import { fileKey, type Setting } from './setting.ts';
import { originOf, type Settings, settingTable } from './settings.ts';

/** The settings in effect, for people: values as in the file, the origin of each, and no secrets. */
export function dumpSettings(settings: Settings): Record<string, unknown> {
  const dump: Record<string, unknown> = {};
  for (const [name, { secret }] of Object.entries<Setting>(settingTable)) {
    const value: unknown = Reflect.get(settings, name);
    if (value === undefined) continue;
    dump[fileKey(name)] = { value: secret ? '[secret]' : value, from: originOf(settings, name).where };
  }
  return { ...dump, models: settings.models };
}

/** The same settings; printing them leaves out the secrets. */
export function guarded(settings: Settings): Settings {
  const dump = { value: () => dumpSettings(settings) };
  return Object.defineProperties(settings, { toJSON: dump, [inspect.custom]: dump });
}

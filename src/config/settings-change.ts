import { isDeepStrictEqual } from 'node:util';
import { guarded } from './dump-settings.ts';
import { fileKey, type Setting } from './setting.ts';
import { originOf, type Settings, settingTable } from './settings.ts';

/** The result of reading the settings again while Conch runs. Keys are named as in the file. */
interface SettingsChange {
  /** The settings in effect from now on. */
  readonly settings: Settings;
  /** What takes effect: `log_level`, `models.llama`. */
  readonly changed: readonly string[];
  /** What would need a restart. */
  readonly fixed: readonly string[];
}

/** Takes over from newly read settings what may change while Conch runs. */
export function settingsChange(running: Settings, read: Settings): SettingsChange {
  const different = Object.entries<Setting>(settingTable).filter(([name]) => isChanged(name, running, read));
  const live = different.filter(([, setting]) => setting.live).map(([name]) => name);
  const values = Object.fromEntries(live.map((name): [string, unknown] => [name, Reflect.get(read, name)]));
  const fixed = different.filter(([, setting]) => !setting.live).map(([name]) => name);
  const origins = originsOf(running, read, fixed);
  const settings = guarded({ ...running, ...values, models: read.models, origins });
  const changed = [...live.map(fileKey), ...changedModels(running, read)];
  return { settings, changed, fixed: [...fixed.map(fileKey), ...changedAdapters(running, read)] };
}

/** A value that does not change keeps its origin. */
function originsOf(running: Settings, read: Settings, fixed: readonly string[]): Settings['origins'] {
  const moved = [...read.origins].filter(([name]) => !fixed.includes(name));
  const unchanged = [...running.origins].filter(([name]) => fixed.includes(name));
  return new Map([...moved, ...unchanged]);
}

function isChanged(name: string, running: Settings, read: Settings): boolean {
  // A default that follows another setting is no change of its own.
  const isDefault = [running, read].every((settings) => originOf(settings, name).source === 'default');
  return !isDefault && !isDeepStrictEqual(Reflect.get(running, name), Reflect.get(read, name));
}

function changedModels({ models: running }: Settings, { models: read }: Settings): string[] {
  const names = new Set([...Object.keys(running), ...Object.keys(read)]);
  return [...names].filter((name) => !isDeepStrictEqual(running[name], read[name])).map((name) => `models.${name}`);
}

/** Conch reads the folders of adapters only at the start; a list of names takes effect at once. */
function changedAdapters({ models: running }: Settings, { models: read }: Settings): string[] {
  const names = new Set([...Object.keys(running), ...Object.keys(read)]);
  const foldersOf = (lora: unknown): unknown => (Array.isArray(lora) ? undefined : lora);
  const isDifferent = (name: string): boolean =>
    !isDeepStrictEqual(foldersOf(running[name]?.lora), foldersOf(read[name]?.lora));
  return [...names].filter(isDifferent).map((name) => `models.${name}.lora`);
}

import type { Setting } from './setting.ts';
import { type Settings, settingTable } from './settings.ts';

/** The secret texts of the settings, which no log may contain. */
export function secretTexts(settings: Settings): string[] {
  return Object.entries<Setting>(settingTable)
    .filter(([, { secret }]) => secret)
    .flatMap(([name]) => textsIn(Reflect.get(settings, name)));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return secretsOf(value);
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [];
  // Of the header of a restricted API, only the value is secret.
  if ('value' in value) return textsIn(value.value);
  return Object.values(value).flatMap(textsIn);
}

/** Of a URL, only the password is secret. */
function secretsOf(text: string): string[] {
  if (text === 'none' || text.startsWith('sqlite:')) return [];
  if (!/^[a-z]+:\/\//.test(text)) return [text];
  const [, password = ''] = /^[a-z]+:\/\/[^:@/]*:([^@]*)@/.exec(text) ?? [];
  return [password, decoded(password)].filter((secret) => secret !== '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

import { SettingsError } from '../config/settings-error.ts';

const variables = ['CONCH_API_KEY', 'OPENAI_API_KEY'] as const;

/** The key that is sent: that of the flag, else of a variable. Those of a file or of other servers are not for this one. */
export function keyOf(
  { apiKey }: { readonly apiKey?: string | undefined },
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (apiKey !== undefined) return opening(apiKey, '--api-key');
  const variable = variables.find((name) => environment[name]);
  if (variable === undefined) return undefined;
  // A server may have several: any of them opens it.
  const [first = ''] = (environment[variable] ?? '').split(/[,\n]/, 1);
  return opening(first.trim(), variable);
}

function opening(key: string, where: string): string {
  if (/^sha256:/i.test(key))
    throw new SettingsError([`${where} is the hash of a key, which opens nothing: give the key itself.`]);
  return key;
}

import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type Target, targetOf } from '../bench/target.ts';
import { setting } from '../config/setting.ts';
import { SettingsError } from '../config/settings-error.ts';
import { metadata, text, webAddress } from '../config/value-types.ts';

/** The address of the server that a command calls. */
export function urlFlag(standard: string, help: string) {
  return setting(webAddress.prefault(standard), help, { placeholder: 'URL' });
}

/** How commands that call a server of the OpenAI API authenticate themselves and verify the server. */
export const clientFlags = {
  apiKey: setting(text.optional(), 'Send this API key as a Bearer token.', {
    placeholder: 'KEY',
    secret: true,
    defaultText: 'CONCH_API_KEY, else OPENAI_API_KEY',
  }),
  header: setting(metadata.prefault([]), 'Send this header with every request.', {
    placeholder: 'NAME:VALUE',
    secret: true,
  }),
  ca: setting(text.optional(), 'Verify the server with the CA certificates in this PEM file.', { path: 'file' }),
  insecure: setting(z.boolean().default(false), "Do not verify the server's certificate."),
};

/** `name=value`, a field for every request; a value that reads as JSON is that. */
export const requestField = z.string().transform((written, context): readonly [string, unknown] => {
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(written) ?? [];
  if (name === '') context.addIssue('must be written name=value');
  return [name, jsonOrText(value)];
});

/** A text that reads as JSON is what that says; any other is itself. */
export function jsonOrText(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}

/** What the flags of a client say. */
export interface ClientFlags {
  readonly url: string;
  readonly apiKey?: string | undefined;
  readonly header: Readonly<Record<string, string>>;
  readonly ca?: string | undefined;
  readonly insecure: boolean;
}

/** What no single one of these flags can know. The address is printed: no secret may stand in it. */
export function clientProblems({ url, ca, insecure }: ClientFlags): string[] {
  const { username, password, search, hash } = new URL(url);
  return [
    ...(ca !== undefined && insecure ? ['--ca and --insecure exclude each other.'] : []),
    ...(username !== '' || password !== ''
      ? ['--url must have no name or password in it: send them by --header authorization:…']
      : []),
    ...(search !== '' ? ['--url must have no query (what follows a ?): send keys by --header or --api-key.'] : []),
    ...(hash !== '' ? ['--url must have no fragment (what follows a #).'] : []),
  ];
}

/** The server that the flags name, with the key of the flag or of a variable. */
export async function targetFrom(
  flags: ClientFlags,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Target> {
  const key = keyOf(flags, environment);
  return targetOf(flags.url, {
    headers: { ...(key ? { authorization: `Bearer ${key}` } : {}), ...flags.header },
    ca: flags.ca === undefined ? undefined : await readText(flags.ca, '--ca'),
    isInsecure: flags.insecure,
  });
}

/** The text of a file that a flag names. */
export async function readText(file: string, flag: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new SettingsError([`${flag}: ${file} cannot be read: ${error.message}`]);
  });
}

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

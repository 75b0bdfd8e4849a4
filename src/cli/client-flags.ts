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

/** `name=value`, a field of every request; the value may be JSON. */
export const requestField = z.string().transform((written, context): readonly [string, unknown] => {
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(written) ?? [];
  if (name === '') context.addIssue('must be name=value');
  return [name, jsonOrText(value)];
});

/** The value of a JSON text; any other text is returned as it is. */
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

/** Problems across flags. The URL is printed, so it must not contain a secret. */
export function clientProblems({ url, ca, insecure }: ClientFlags): string[] {
  const { username, password, search, hash } = new URL(url);
  return [
    ...(ca !== undefined && insecure ? ['--ca and --insecure exclude each other. Set only one.'] : []),
    ...(username !== '' || password !== ''
      ? ['--url must not contain a user or password. Send them with --header authorization:VALUE.']
      : []),
    ...(search !== '' ? ['--url must not contain a query (after ?). Send keys with --header or --api-key.'] : []),
    ...(hash !== '' ? ['--url must not contain a fragment (after #). Remove it.'] : []),
  ];
}

/** The server of the flags, with the API key of the flag or of an environment variable. */
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
    throw new SettingsError([`${flag}: cannot read ${file}: ${error.message}.`]);
  });
}

const variables = ['CONCH_API_KEY', 'OPENAI_API_KEY'] as const;

/** The API key to send: of the flag, else of an environment variable. Keys of a file or of other servers are not sent. */
export function keyOf(
  { apiKey }: { readonly apiKey?: string | undefined },
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (apiKey !== undefined) return opening(apiKey, '--api-key');
  const variable = variables.find((name) => environment[name]);
  if (variable === undefined) return undefined;
  // A server may accept several keys: any of them works.
  const [first = ''] = (environment[variable] ?? '').split(/[,\n]/, 1);
  return opening(first.trim(), variable);
}

function opening(key: string, where: string): string {
  if (/^sha256:/i.test(key)) throw new SettingsError([`${where} is the hash of an API key. Set the key itself.`]);
  return key;
}

import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashOf } from '../../src/keys/secrets.ts';
import { user } from '../gateway/requests.ts';
import type { Conch } from '../support/conch.ts';
import { post, type Response, startGateway } from '../support/gateway.ts';

/** What a key of the tests allows, as it stands in the file; the key itself is `secret-of-NAME`. */
export type KeyRules = Readonly<Record<string, object>>;

/** A Conch in front of the shared tritonserver with a file of keys. */
export interface Keyed extends Conch {
  readonly file: string;
  /** Puts other keys into the file. */
  readonly write: (keys: KeyRules | string) => void;
  readonly end: () => Promise<void>;
}

/** The key of this name. Nothing else begins like that, so that logs can be searched for it. */
export function secretOf(name: string): string {
  return `secret-of-${name}`;
}

/** The header that brings a key. */
export function bearer(name: string): Record<string, string> {
  return { authorization: `Bearer ${secretOf(name)}` };
}

export function keyFileText(keys: KeyRules): string {
  return JSON.stringify({
    keys: Object.entries(keys).map(([name, rules]) => ({ name, hash: hashOf(secretOf(name)), ...rules })),
  });
}

/** Starts it with these keys. */
export async function startKeyed(keys: KeyRules, ...flags: readonly string[]): Promise<Keyed> {
  const folder = mkdtempSync(join(tmpdir(), 'conch-keys-'));
  const file = join(folder, 'keys.yaml');
  const write = (content: KeyRules | string): void => {
    writeFileSync(`${file}.new`, typeof content === 'string' ? content : keyFileText(content));
    renameSync(`${file}.new`, file);
  };
  write(keys);
  const conch = await startGateway('--api-key-file', file, ...flags);
  const end = async (): Promise<void> => {
    await conch.stop();
    rmSync(folder, { recursive: true });
  };
  return { ...conch, file, write, end };
}

/** A short chat with the key of this name. */
export function chatAs(
  { url }: Pick<Conch, 'url'>,
  name: string,
  { content = 'hi', model = 'vllm-toy', ...fields }: Record<string, unknown> & { content?: string } = {},
): Promise<Response> {
  return post(`${url}/v1/chat/completions`, { model, messages: user(content), max_tokens: 5, ...fields }, bearer(name));
}

/** The whole error of an answer. */
export function errorOf({ status, body }: Response): unknown[] {
  return [status, body.error];
}

/** OpenAI's error as it stands in a body. */
export function openaiError(type: string, code: string, message: string, param: string | null = null) {
  return { message, type, param, code };
}

import type { CommandInput } from '../config/load.ts';
import { type JwtCheck, jwksProblem, jwtCheck } from '../keys/jwt.ts';
import { KeyFileError, readKeyFile, storedKeys } from '../keys/key-file.ts';
import type { StoredKey } from '../keys/key-ring.ts';

type Settings = CommandInput['settings'];

/** The readers of key files. */
export interface KeyReaders {
  readonly keys: (text: string) => readonly StoredKey[];
  readonly jwks: (text: string) => JwksContent;
  /** Why the file cannot be used, one line for each problem. */
  readonly problemsOf: (error: unknown) => readonly string[];
}

/** The readers of a key file, and of a file with an issuer's keys. */
export function keyReaders(file: string, settings: Settings): KeyReaders {
  return { keys: keyReader(file), jwks: jwksReader(settings), problemsOf: (error) => problemsOf(file, error) };
}

function problemsOf(file: string, error: unknown): readonly string[] {
  if (error instanceof KeyFileError) return error.problems;
  const reason = (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.message : String(error));
  return [`${file} cannot be read: ${reason}.`];
}

function keyReader(file: string): (text: string) => readonly StoredKey[] {
  return (text) => storedKeys(readKeyFile(file, text).keys);
}

/** The keys of an issuer. */
export interface JwksContent {
  readonly check: JwtCheck;
  readonly count: number;
}

function jwksReader({ jwtJwks = '', jwtIssuer = '', jwtAudience, jwtClaimPrefix }: Settings) {
  return (text: string): JwksContent => {
    const content = parsedJson(text);
    const problem = jwksProblem(content);
    if (problem !== undefined) throw new KeyFileError([`${jwtJwks}: ${problem}.`]);
    const options = { issuer: jwtIssuer, audiences: jwtAudience, claimPrefix: jwtClaimPrefix };
    return { check: jwtCheck(content, options), count: (content as { keys: unknown[] }).keys.length };
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import { z } from 'zod';
import type { ApiError } from '../errors.ts';
import { invalidKey } from './invalid-key.ts';
import type { KeyFacts, KeyHolder } from './key-holder.ts';
import { digestOf } from './secrets.ts';

/** Signatures with a private key of the issuer; never with a shared secret. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Seconds by which the clocks of the issuer and of this machine may differ. */
const clockTolerance = 30;

/** The issuer of accepted tokens, their audience and their claims. */
export interface JwtOptions {
  readonly issuer: string;
  /** The accepted audiences; empty: any. */
  readonly audiences: readonly string[];
  /** The prefix of Conch's claims. */
  readonly claimPrefix: string;
}

/** Verifies a token and returns its holder. Throws an ApiError if it is not valid. */
export type JwtCheck = (token: string) => Promise<KeyHolder>;

const Jwks = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) });
/** The types of the keys that tokens may be signed with; others are ignored. */
const usedTypes = new Set(['RSA', 'EC', 'OKP']);

function isPublicKey(key: JsonWebKey): boolean {
  try {
    createPublicKey({ key, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

const secretParts = ['d', 'k', 'p', 'q', 'dp', 'dq', 'qi'];

/** What is wrong with the JWKS file of an issuer; undefined: nothing. No value is repeated. */
export function jwksProblem(content: unknown): string | undefined {
  const read = Jwks.safeParse(content);
  if (!read.success) return 'must be a JSON Web Key Set: {"keys": […]} with at least one key';
  for (const [index, key] of read.data.keys.entries()) {
    if (key.kty === 'oct') return `keys[${index}] is a shared secret (kty "oct"). Use only public keys`;
    if (secretParts.some((part) => part in key)) return `keys[${index}] is a private key. Use only public keys`;
    if (usedTypes.has(key.kty) && !isPublicKey(key))
      return `keys[${index}] is not a valid public key: a field is missing or wrong`;
  }
  return undefined;
}

/** Checks tokens with the public keys of their issuer, without network access. */
export function jwtCheck(jwks: unknown, { issuer, audiences, claimPrefix }: JwtOptions): JwtCheck {
  const keyFor = createLocalJWKSet(jwks as JSONWebKeySet);
  const options = {
    issuer,
    ...(audiences.length === 0 ? {} : { audience: [...audiences] }),
    algorithms,
    clockTolerance,
    requiredClaims: ['sub', 'exp'],
  };
  const claims = claimReader(claimPrefix);
  return async (token) => {
    const { payload } = await jwtVerify(token, keyFor, options)
      .catch((error: unknown) => byAnyKey(token, error, options))
      .catch((error: unknown) => {
        throw refusal(error);
      });
    const facts = claims(payload);
    const owner = digestOf(JSON.stringify(['owner by token', issuer, facts.name])).toString('hex');
    return { ...facts, id: `jwt:${owner.slice(0, 32)}`, owner };
  };
}

/** Tries all keys of the issuer that a token may be signed with, where it does not name one. */
async function byAnyKey(token: string, error: unknown, options: JWTVerifyOptions) {
  if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
  for await (const key of error)
    try {
      return await jwtVerify(token, key, options);
    } catch (failure) {
      if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
    }
  throw new errors.JWSSignatureVerificationFailed();
}

function refusal(error: unknown): ApiError {
  const isExpired = error instanceof errors.JWTExpired;
  const claim =
    error instanceof errors.JWTClaimValidationFailed ? ` Its claim "${error.claim}" is missing or wrong.` : '';
  const message = isExpired ? 'The token has expired.' : `The token is not valid.${claim}`;
  return invalidKey(message);
}

const count = z.number().int().min(1).optional();

/** Reads Conch's claims; `models` is a list, or a text with spaces between the names. */
function claimReader(prefix: string): (payload: JWTPayload) => KeyFacts {
  const models = z.preprocess(
    (value) => (typeof value === 'string' ? value.split(' ').filter((part) => part !== '') : value),
    z.array(z.string().min(1)).optional(),
  );
  const own = { models, requests_per_minute: count, tokens_per_minute: count, concurrent: count };
  const Claims = z.object({ ...own, priority: z.boolean().optional(), manage: z.boolean().optional() });
  return (payload) => {
    const ownClaims = Object.keys(Claims.shape).map((name): [string, unknown] => [name, payload[prefix + name]]);
    const read = Claims.safeParse(Object.fromEntries(ownClaims));
    const name = z.string().min(1).max(256).safeParse(payload.sub);
    if (!read.success || !name.success) {
      const wrong = read.success ? 'sub' : prefix + String(read.error.issues[0]?.path[0]);
      throw invalidKey(`The token is not valid. Its claim "${wrong}" is missing or wrong.`);
    }
    const { requests_per_minute: requestsPerMinute, tokens_per_minute: tokensPerMinute, ...others } = read.data;
    return {
      name: name.data,
      models: others.models,
      requestsPerMinute,
      tokensPerMinute,
      concurrent: others.concurrent,
      expires: (payload.exp ?? 0) * 1000,
      mayPrioritize: others.priority,
      mayManage: others.manage,
    };
  };
}

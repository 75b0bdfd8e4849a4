import { z } from 'zod';
import { inGroup, setting } from './setting.ts';
import { text } from './value-types.ts';

// No message repeats the value: it is a secret.
const apiKey = text
  .regex(/^(?!sha256:)|^sha256:[\da-f]{64}$/i, 'must be a key, or the hash of one: sha256: and 64 hexadecimal digits')
  // No header can carry other characters unchanged.
  .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII characters without spaces');

/** Settings of keys and what they allow. */
export const keySettings = inGroup('keys', {
  apiKey: setting(
    z.array(apiKey).default([]),
    'Require this API key as a Bearer token. It gives access to everything. Health endpoints need no key. ' +
      'Give the key itself or its hash, sha256:HEX.',
    { live: true, otherVariables: ['OPENAI_TRTLLM_API_KEY'], placeholder: 'KEY', secret: true, isCommon: true },
  ),
  apiKeyFile: setting(
    text.optional(),
    'Require an API key from this key file. It holds keys with their models, limits and dates (conch keys create). Conch reads it again when it changes.',
    { path: 'file', isCommon: true },
  ),
  jwtJwks: setting(
    text.optional(),
    'Accept JWTs as API keys. The file contains the public keys (JWKS) of their issuer. Conch reads it again when it changes.',
    { path: 'file' },
  ),
  jwtIssuer: setting(text.optional(), 'Set the issuer of the JWTs, as in their claim "iss".', {
    placeholder: 'ISSUER',
  }),
  jwtAudience: setting(z.array(text).default([]), 'Accept only JWTs for this audience, as in their claim "aud".', {
    placeholder: 'AUDIENCE',
    defaultText: 'any',
  }),
  jwtClaimPrefix: setting(
    text.default('conch_'),
    'Set the prefix of the claims models, requests_per_minute, tokens_per_minute, concurrent, priority and manage.',
  ),
  redis: setting(
    z
      .string()
      .refine((url) => /^rediss?:\/\/./.test(url) && URL.canParse(url), {
        error: 'must be redis://USER:PASS@HOST:PORT/DB, or rediss:// for TLS',
      })
      .optional(),
    'Count the limits of API keys in this Redis, for several Conch servers together. Write redis://HOST:PORT, or rediss:// for TLS.',
    { placeholder: 'URL', secret: true, defaultText: 'each server counts its own' },
  ),
});

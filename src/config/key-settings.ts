import { z } from 'zod';
import { inGroup, setting } from './setting.ts';
import { text } from './value-types.ts';

// No message repeats what was given: it is a secret.
const apiKey = text
  .regex(/^(?!sha256:)|^sha256:[\da-f]{64}$/i, 'must be a key, or the hash of one: sha256: and 64 hexadecimal digits')
  // Such a key would never open: no header carries it as it is.
  .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII characters without spaces');

/** Settings of keys and what they allow. */
export const keySettings = inGroup('keys', {
  apiKey: setting(
    z.array(apiKey).default([]),
    'Key that opens everything but health, which needs none; a request brings it as a Bearer token. ' +
      'The key itself, or its hash: sha256:HEX.',
    { live: true, otherVariables: ['OPENAI_TRTLLM_API_KEY'], placeholder: 'KEY', secret: true },
  ),
  apiKeyFile: setting(
    text.optional(),
    'File of keys with their models, limits and dates (conch keys create). It is read again when it changes.',
    { path: 'file' },
  ),
  jwtJwks: setting(
    text.optional(),
    'File with the public keys (JWKS) of an issuer whose tokens are taken as keys. It is read again when it changes.',
    { path: 'file' },
  ),
  jwtIssuer: setting(text.optional(), 'Issuer of those tokens, as their claim "iss" has it.', {
    placeholder: 'ISSUER',
  }),
  jwtAudience: setting(
    z.array(text).default([]),
    'Audience that those tokens must be for, as their claim "aud" has it.',
    { placeholder: 'AUDIENCE', defaultText: 'any' },
  ),
  jwtClaimPrefix: setting(
    text.default('conch_'),
    'What stands before the claims models, requests_per_minute, tokens_per_minute, concurrent, priority and manage.',
  ),
  redis: setting(
    z
      .string()
      .refine((url) => /^rediss?:\/\/./.test(url) && URL.canParse(url), {
        error: 'must be redis://USER:PASS@HOST:PORT/DB, or rediss:// for TLS',
      })
      .optional(),
    'Redis that several Conches count the limits of keys in: redis://HOST:PORT, or rediss:// for TLS.',
    { placeholder: 'URL', secret: true, defaultText: 'each counts for itself' },
  ),
});

import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import { type JwtCheck, jwksProblem, jwtCheck } from './jwt.ts';
import { looksLikeJwt } from './key-registry.ts';

const issuer = 'https://issuer.example';
const options = { issuer, audiences: ['conch', 'other'], claimPrefix: 'conch_' };
const algorithms = ['RS256', 'PS384', 'ES256', 'EdDSA'];

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;

let pairs: Map<string, Pair>;
let jwks: unknown;
let check: JwtCheck;
beforeAll(async () => {
  pairs = new Map(
    await Promise.all(
      algorithms.map(async (alg) => [alg, await generateKeyPair(alg, { extractable: true })] as [string, Pair]),
    ),
  );
  const keys = await Promise.all(
    [...pairs].map(async ([alg, { publicKey }]) => ({ ...(await exportJWK(publicKey)), kid: alg, alg })),
  );
  jwks = { keys };
  check = jwtCheck(jwks, options);
});

const now = Math.floor(Date.now() / 1000);
const good: JWTPayload = { iss: issuer, aud: 'conch', sub: 'alice', exp: now + 600 };

function privateKey(alg: string): Pair['privateKey'] {
  return (pairs.get(alg) as Pair).privateKey;
}

function signed(claims: JWTPayload, alg = 'ES256', key = privateKey(alg)): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg, kid: alg }).sign(key);
}

async function refusalOf(token: string): Promise<unknown> {
  const error = await check(token).then(
    () => 'taken',
    (caught: unknown) => caught,
  );
  return error instanceof ApiError ? [error.code, error.message, error.headers] : error;
}

const refused = (message: string) => ['invalid_api_key', message, { 'www-authenticate': 'Bearer' }];

describe('jwtCheck', () => {
  it.each(algorithms)('takes tokens that are signed with %s', async (alg) => {
    const holder = await check(await signed(good, alg));
    expect(holder).toEqual({
      id: `jwt:${holder.owner.slice(0, 32)}`,
      owner: expect.stringMatching(/^[\da-f]{64}$/),
      name: 'alice',
      expires: (now + 600) * 1000,
    });
  });

  it('reads what a token allows', async () => {
    const claims = {
      conch_models: 'llama3 qwen*',
      conch_requests_per_minute: 5,
      conch_tokens_per_minute: 100,
      conch_concurrent: 2,
      conch_priority: true,
      models: ['ignored'],
    };
    expect(await check(await signed({ ...good, ...claims }))).toMatchObject({
      models: ['llama3', 'qwen*'],
      requestsPerMinute: 5,
      tokensPerMinute: 100,
      concurrent: 2,
      mayPrioritize: true,
    });
    expect(await check(await signed({ ...good, conch_models: ['a b', 'c'] }))).toMatchObject({ models: ['a b', 'c'] });
    expect(await check(await signed({ ...good, conch_models: '' }))).toMatchObject({ models: [] });
  });

  it('gives each subject an owner of its own, the same for all of its tokens', async () => {
    const [one, again, other] = await Promise.all([
      check(await signed(good)),
      check(await signed({ ...good, exp: now + 60 }, 'RS256')),
      check(await signed({ ...good, sub: 'bob' })),
    ]);
    expect([again.owner, again.id]).toEqual([one.owner, one.id]);
    expect(other.owner).not.toBe(one.owner);
  });

  it('allows for clocks that differ by half a minute', async () => {
    expect(await check(await signed({ ...good, exp: now - 20 }))).toMatchObject({ name: 'alice' });
    expect(await refusalOf(await signed({ ...good, exp: now - 60 }))).toEqual(refused('The token has expired.'));
    expect(await refusalOf(await signed({ ...good, nbf: now + 60 }))).toEqual(
      refused('The token is not valid. Its claim "nbf" is missing or wrong.'),
    );
  });

  it.each<[string, JWTPayload]>([
    ['iss', { ...good, iss: 'https://other.example' }],
    ['aud', { ...good, aud: 'another' }],
    ['aud', { iss: issuer, sub: 'alice', exp: now + 600 }],
    ['exp', { iss: issuer, aud: 'conch', sub: 'alice' }],
    ['sub', { iss: issuer, aud: 'conch', exp: now + 600 }],
    ['sub', { ...good, sub: '' }],
    ['conch_models', { ...good, conch_models: [5] }],
    ['conch_requests_per_minute', { ...good, conch_requests_per_minute: 0 }],
    ['conch_concurrent', { ...good, conch_concurrent: '5' }],
  ])('refuses a wrong claim %s', async (claim, claims) => {
    expect(await refusalOf(await signed(claims))).toEqual(
      refused(`The token is not valid. Its claim "${claim}" is missing or wrong.`),
    );
  });

  it('tries all keys of the issuer where a token names none', async () => {
    const two = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')]);
    const both = jwtCheck({ keys: await Promise.all(two.map(({ publicKey }) => exportJWK(publicKey))) }, options);
    const sign = (key: Pair['privateKey'], claims = good) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(key);
    for (const { privateKey: key } of two) expect(await both(await sign(key))).toMatchObject({ name: 'alice' });
    await expect(both(await sign(privateKey('ES256')))).rejects.toThrow('The token is not valid.');
    const late = sign(two[1].privateKey, { ...good, exp: now - 60 });
    await expect(both(await late)).rejects.toThrow('The token has expired.');
  });

  it('refuses what the issuer did not sign', async () => {
    const invalid = refused('The token is not valid.');
    const stranger = await generateKeyPair('ES256');
    expect(await refusalOf(await signed(good, 'ES256', stranger.privateKey))).toEqual(invalid);
    const [head, , signature] = (await signed(good)).split('.');
    const changed = Buffer.from(JSON.stringify({ ...good, sub: 'root' })).toString('base64url');
    expect(await refusalOf([head, changed, signature].join('.'))).toEqual(invalid);
    expect(await refusalOf(new UnsecuredJWT(good).encode())).toEqual(invalid);
    // The public key as a shared secret is the oldest trick of all.
    const shared = new SignJWT(good).setProtectedHeader({ alg: 'HS256', kid: 'ES256' });
    expect(await refusalOf(await shared.sign(Buffer.alloc(32, 1)))).toEqual(invalid);
    expect(await refusalOf('a.b.c')).toEqual(invalid);
  });
});

describe('jwksProblem', () => {
  it('says what is wrong with a file, and repeats nothing of it', async () => {
    const { publicKey, privateKey } = pairs.get('ES256') as Pair;
    expect(jwksProblem(jwks)).toBeUndefined();
    const expected = 'must be a JSON Web Key Set: {"keys": […]} with at least one key';
    for (const wrong of [undefined, {}, { keys: [] }, { keys: ['pearl'] }, []])
      expect(jwksProblem(wrong)).toBe(expected);
    expect(jwksProblem({ keys: [await exportJWK(publicKey), { kty: 'oct', k: 'pearl' }] })).toBe(
      'keys[1] is a shared secret (kty "oct"). Use only public keys',
    );
    expect(jwksProblem({ keys: [await exportJWK(privateKey)] })).toBe('keys[0] is a private key. Use only public keys');
    const broken = { ...(await exportJWK(publicKey)), x: 'pearl' };
    for (const wrong of [broken, { kty: 'RSA' }, { kty: 'OKP', crv: 'pearl', x: '' }])
      expect(jwksProblem({ keys: [wrong] })).toBe('keys[0] is not a valid public key: a field is missing or wrong');
    expect(jwksProblem({ keys: [{ kty: 'AKP', alg: 'ML-DSA-44' }] })).toBeUndefined();
  });
});

describe('looksLikeJwt', () => {
  it('knows tokens by their shape', () => {
    expect(['a.b.c', 'a.b.'].map(looksLikeJwt)).toEqual([true, true]);
    expect(['a', 'a.b', 'sk-conch-x', 'a.b.c.d', 'a b.c.d', ''].map(looksLikeJwt)).toEqual(Array(6).fill(false));
  });
});

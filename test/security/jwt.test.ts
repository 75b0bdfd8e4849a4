import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import OpenAI, { AuthenticationError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { user } from '../gateway/requests.ts';
import { runConch } from '../support/command.ts';
import type { Conch } from '../support/conch.ts';
import { post, type Response, startGateway } from '../support/gateway.ts';
import { errorOf, openaiError } from './keyed.ts';

const issuer = 'https://issuer.example';
const claims = 'https://conch.example/';
type Pair = Awaited<ReturnType<typeof generateKeyPair>>;

let folder: string;
let file: string;
let old: Pair;
let young: Pair;
let conch: Conch;

async function writeKeys(...pairs: readonly Pair[]): Promise<void> {
  const keys = await Promise.all(pairs.map(({ publicKey }) => exportJWK(publicKey)));
  writeFileSync(file, JSON.stringify({ keys: keys.map((key, index) => ({ ...key, kid: String(index) })) }));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'conch-jwt-'));
  file = join(folder, 'jwks.json');
  [old, young] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('EdDSA')]);
  await writeKeys(old);
  const flags = ['--jwt-jwks', file, '--jwt-issuer', issuer, '--jwt-audience', 'conch', '--jwt-claim-prefix', claims];
  conch = await startGateway(...flags, '--api-key', 'plain');
});
afterAll(async () => {
  await conch.stop();
  rmSync(folder, { recursive: true });
});

function tokenOf(sub: string, more: JWTPayload = {}, { privateKey }: Pair = old, alg = 'ES256'): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + 600;
  return new SignJWT({ iss: issuer, aud: 'conch', sub, exp, ...more }).setProtectedHeader({ alg }).sign(privateKey);
}

async function chat(token: string | Promise<string>, model = 'vllm-toy'): Promise<Response> {
  const headers = { authorization: `Bearer ${await token}` };
  return post(`${conch.url}/v1/chat/completions`, { model, messages: user('hi'), max_tokens: 5 }, headers);
}

const invalid = (message: string) => [401, openaiError('authentication_error', 'invalid_api_key', message)];

describe('a token of the issuer', () => {
  it('is a key, beside the others', async () => {
    const response = await chat(tokenOf('alice'));
    expect(response.status).toBe(200);
    const line = await conch.logged(({ reqId }) => reqId === response.headers.get('x-request-id'));
    expect(line).toMatchObject({ key: 'alice' });
    expect((await chat('plain')).status).toBe(200);
  });

  it('is refused where it is not good', async () => {
    expect(errorOf(await chat(tokenOf('a', { exp: 1 })))).toEqual(invalid('The token has expired.'));
    expect(errorOf(await chat(tokenOf('a', { aud: 'x' })))).toEqual(
      invalid('The token is not valid. Its claim "aud" is missing or wrong.'),
    );
    expect(errorOf(await chat('a.b.c'))).toEqual(invalid('The token is not valid.'));
    const baseURL = `${conch.url}/v1`;
    const client = new OpenAI({ baseURL, apiKey: await tokenOf('a', { exp: 1 }), maxRetries: 0 });
    await expect(client.models.list()).rejects.toThrow(AuthenticationError);
  });

  it('brings its models and limits along', async () => {
    const more = { [`${claims}models`]: ['vllm-t*'], [`${claims}requests_per_minute`]: 2 };
    expect((await chat(tokenOf('bob', more), 'vllm-llama')).status).toBe(403);
    expect((await chat(tokenOf('bob', more))).status).toBe(200);
    // Another token of the same subject counts with it.
    const third = await chat(tokenOf('bob', { ...more, jti: 'another' }));
    expect(errorOf(third)).toEqual([429, expect.objectContaining({ code: 'rate_limit_exceeded' })]);
    expect((await chat(tokenOf('carol', more))).status).toBe(200);
  });

  it('owns its responses by its issuer and subject', async () => {
    const headers = async (sub: string) => ({ authorization: `Bearer ${await tokenOf(sub, { jti: sub })}` });
    const body = { model: 'vllm-toy', input: 'x', max_output_tokens: 20 };
    const made = await post(`${conch.url}/v1/responses`, body, await headers('dora'));
    const status = async (sub: string) =>
      (await fetch(`${conch.url}/v1/responses/${String(made.body['id'])}`, { headers: await headers(sub) })).status;
    expect([await status('dora'), await status('erin')]).toEqual([200, 404]);
  });
});

it('the keys of the issuer are read again when they change', async () => {
  const next = () => tokenOf('zoe', {}, young, 'EdDSA');
  expect((await chat(next())).status).toBe(401);
  await writeKeys(old, young);
  await conch.logged(({ message }) => message === `${file} was reloaded: 2 keys of the issuer in effect`);
  expect([(await chat(next())).status, (await chat(tokenOf('zoe'))).status]).toEqual([200, 200]);
  writeFileSync(file, '{"keys": [');
  const stored = `the keys of the issuer are unchanged: ${file}: must be a JSON Web Key Set`;
  await conch.logged(({ message }) => String(message).startsWith(stored));
  expect((await chat(next())).status).toBe(200);
  await writeKeys(young);
  await conch.logged(({ message }) => message === `${file} was reloaded: 1 keys of the issuer in effect`);
  expect([(await chat(next())).status, (await chat(tokenOf('zoe'))).status]).toEqual([200, 401]);
  const token = await next();
  expect(JSON.stringify(conch.log())).not.toContain(token.slice(0, 40));
});

it('a file with a private or shared key fails the start', async () => {
  const secret = join(folder, 'secret.json');
  writeFileSync(secret, JSON.stringify({ keys: [{ kty: 'oct', k: 'cGVhcmw' }] }));
  expect(await runConch(['--check', '--jwt-jwks', secret, '--jwt-issuer', issuer])).toEqual({
    code: 2,
    stdout: '',
    stderr: `conch: ${secret}: keys[0] is a shared secret (kty "oct"). Use only public keys.\n`,
  });
});

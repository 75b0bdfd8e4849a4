import { describe, expect, it } from 'vitest';
import { type LoadOptions, loadSettings } from './load.ts';
import { SettingsError } from './settings-error.ts';

const hash = `sha256:${'0f'.repeat(32)}`;

function keysOf(options: LoadOptions): readonly string[] {
  return loadSettings(options).apiKey;
}

function problems(...argv: string[]): readonly string[] {
  try {
    loadSettings({ argv });
    return [];
  } catch (error) {
    return error instanceof SettingsError ? error.problems : [String(error)];
  }
}

describe('--api-key', () => {
  it('is one key or several, plain or hashed', () => {
    expect(keysOf({ argv: ['--api-key', 'a=b', '--api-key', hash] })).toEqual(['a=b', hash]);
    expect(keysOf({ argv: [], environment: { CONCH_API_KEY: 'one' } })).toEqual(['one']);
    expect(keysOf({ argv: [], environment: { OPENAI_TRTLLM_API_KEY: `one, two\n${hash}\n` } })).toEqual([
      'one',
      'two',
      hash,
    ]);
    const file = { argv: ['--config', 'conch.yaml'], readFile: () => `api_key: [one, "${hash}"]` };
    expect(keysOf(file)).toEqual(['one', hash]);
  });

  it('must be a whole hash where it begins as one', () => {
    const expected = '--api-key must be a key, or the hash of one: sha256: and 64 hexadecimal digits.';
    expect(problems('--api-key', 'sha256:abc')).toEqual([expected]);
    expect(problems('--api-key', hash.slice(0, -1))).toEqual([expected]);
  });
});

describe('a key that no header can carry', () => {
  it.each(['schlüssel', 'two words', 'tab\there', '鍵'])('is refused: %j', (key) => {
    expect(problems('--api-key', key)).toEqual(['--api-key must be printable ASCII characters without spaces.']);
  });
});

describe('--redis', () => {
  it('is a URL of Redis, which no message repeats', () => {
    const expected = '--redis must be redis://USER:PASS@HOST:PORT/DB, or rediss:// for TLS.';
    for (const wrong of ['127.0.0.1:6379', 'http://:pearl@a', 'redis://', 'redis://:pearl@a:99999'])
      expect(problems('--api-key-file', 'x', '--redis', wrong)).toEqual([expected]);
    expect(problems('--api-key-file', 'x', '--redis', 'rediss://me:pearl@a:1/2')).toEqual([]);
  });

  it('has nothing to count without keys that have limits', () => {
    expect(problems('--api-key', 'a', '--redis', 'redis://a')).toEqual([
      '--redis needs --api-key-file or --jwt-jwks: Redis counts only the limits of their keys.',
    ]);
  });
});

describe('--jwt-jwks', () => {
  it('goes together with what it needs', () => {
    expect(problems('--jwt-jwks', 'x')).toEqual(['--jwt-jwks needs --jwt-issuer, the issuer of the tokens.']);
    expect(problems('--jwt-issuer', 'x', '--jwt-audience', 'y')).toEqual([
      '--jwt-issuer needs --jwt-jwks.',
      '--jwt-audience needs --jwt-jwks.',
    ]);
  });
});

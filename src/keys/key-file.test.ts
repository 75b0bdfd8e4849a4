import { describe, expect, it } from 'vitest';
import { KeyFileError, readKeyFile, storedKeys } from './key-file.ts';
import { digestOf, hashOf } from './secrets.ts';

const hash = hashOf('pearl-0815');
const other = hashOf('other');

function problems(text: string): readonly string[] {
  try {
    readKeyFile('keys.yaml', text);
    return [];
  } catch (error) {
    return error instanceof KeyFileError ? error.problems : [String(error)];
  }
}

describe('readKeyFile', () => {
  it('reads every field', () => {
    const text = `# for the team
keys:
  - name: alice
    hash: ${hash}
    models: [llama3, "qwen*"]
    requests_per_minute: 60
    tokens_per_minute: 100000
    concurrent: 4
    expires: 2027-01-31
    priority: true
  - { name: bob@example.com, hash: "${other}", expires: 2027-01-31T12:00:00+01:00 }
`;
    expect(storedKeys(readKeyFile('keys.yaml', text).keys)).toEqual([
      {
        digest: digestOf('pearl-0815'),
        holder: {
          id: 'key:alice',
          name: 'alice',
          models: ['llama3', 'qwen*'],
          requestsPerMinute: 60,
          tokensPerMinute: 100_000,
          concurrent: 4,
          expires: Date.UTC(2027, 0, 31),
          mayPrioritize: true,
        },
      },
      {
        digest: digestOf('other'),
        holder: { id: 'key:bob@example.com', name: 'bob@example.com', expires: Date.UTC(2027, 0, 31, 11) },
      },
    ]);
  });

  it('reads JSON, and a file without keys', () => {
    expect(readKeyFile('keys.json', JSON.stringify({ keys: [{ name: 'a', hash }] })).keys).toEqual([
      { name: 'a', hash },
    ]);
    for (const empty of ['', '# none yet\n', 'keys:\n', 'keys: []'])
      expect(readKeyFile('keys.yaml', empty).keys).toEqual([]);
  });

  it('names every error with its position, and repeats no value', () => {
    const text = `keys:
  - name: a b
    hash: pearl-0815
  - hash: ${hash}
    key: pearl-0815
    requests_per_minut: 5
  - { name: c, hash: ${other}, models: llama3, concurrent: 0, expires: 2027-02-30, priority: maybe }
  - { name: api-key-1, hash: "sha256:pearl" }
`;
    expect(problems(text)).toEqual([
      'keys.yaml:2:11: keys[0].name must be 1 to 64 letters, digits and . @ : + - _.',
      'keys.yaml:3:11: keys[0].hash must be sha256: and 64 hexadecimal digits, as conch keys create writes it.',
      'keys.yaml:4:5: keys[1].name is missing.',
      'keys.yaml:5:10: keys[1].key is not a key. The keys are name, hash, models, requests_per_minute, tokens_per_minute, concurrent, expires, priority, manage.',
      'keys.yaml:6:25: keys[1].requests_per_minut is not a key. Did you mean requests_per_minute?',
      'keys.yaml:7:103: keys[2].models must be a list.',
      'keys.yaml:7:123: keys[2].concurrent must be at least 1.',
      'keys.yaml:7:135: keys[2].expires must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z.',
      'keys.yaml:7:157: keys[2].priority must be true or false.',
      'keys.yaml:8:13: keys[3].name must not be api-key-N: Conch gives these names to the keys of --api-key.',
      'keys.yaml:8:30: keys[3].hash must be sha256: and 64 hexadecimal digits, as conch keys create writes it.',
    ]);
  });

  it('refuses what is no list of keys', () => {
    expect(problems('- a')).toEqual(['keys.yaml:1:1: the file must be a map of keys and values.']);
    expect(problems('keys: pearl')).toEqual(['keys.yaml:1:7: keys must be a list.']);
    expect(problems('kyes: []')).toEqual(['keys.yaml:1:7: kyes is not a key. Write keys instead.']);
    expect(problems('keys: "pearl')).toEqual([
      'keys.yaml:1:13: A character is missing. Add the closing bracket, quote or comma.',
    ]);
    expect(problems('keys: *pearl')).toEqual([
      'keys.yaml: YAML aliases (*name) are not supported. Write the values out.',
    ]);
  });

  it('refuses two keys of one name, and one key of two names', () => {
    const keys = [
      { name: 'a', hash },
      { name: 'A', hash: other },
      { name: 'b', hash: hash.toUpperCase().replace('SHA256', 'sha256') },
    ];
    expect(problems(JSON.stringify({ keys }))).toEqual([
      expect.stringMatching(/^keys.yaml:1:\d+: keys\[1\].name is used twice. Each key needs its own name and hash.$/),
      expect.stringMatching(/^keys.yaml:1:\d+: keys\[2\].hash is used twice. Each key needs its own name and hash.$/),
    ]);
  });
});

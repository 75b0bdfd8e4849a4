import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashOf } from '../../src/keys/secrets.ts';
import { runConch } from '../support/command.ts';

let folder: string;
let file: string;
let count = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'conch-keys-'));
});
beforeEach(() => {
  file = join(folder, `keys-${count++}.yaml`);
});
afterAll(() => rmSync(folder, { recursive: true }));

const expectedDate = 'must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z';
const keys = (...words: readonly string[]) => runConch(['keys', ...words, '--file', file]);
const made = async (name: string, ...words: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await keys('create', name, ...words);
  expect([code, stderr]).toEqual([
    0,
    `Stored the hash of the key ${name} in ${file}. The key itself is shown only once:\n`,
  ]);
  expect(stdout).toMatch(/^sk-conch-[\w-]{43}\n$/);
  return stdout.trim();
};

describe('conch keys create', () => {
  it('prints a key once and writes nothing but its hash, for its owner alone', async () => {
    const key = await made('alice');
    expect(readFileSync(file, 'utf8')).toBe(`keys:\n  - name: alice\n    hash: ${hashOf(key)}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  it('writes all that the key allows, and keeps what stands in the file', async () => {
    writeFileSync(file, `# of the team\nkeys:\n  # the first\n  - { name: a, hash: "${hashOf('a')}" } # hers\n`, {
      mode: 0o640,
    });
    const limits = ['--requests-per-minute', '60', '--tokens-per-minute', '1000', '--concurrent', '4'];
    const models = ['--allow-model', 'llama3', '--allow-model', 'qwen*'];
    const key = await made('b', ...models, ...limits, '--expires', '2027-01-31', '--priority');
    expect(readFileSync(file, 'utf8')).toBe(`# of the team
keys:
  # the first
  - { name: a, hash: "${hashOf('a')}" } # hers
  - name: b
    hash: ${hashOf(key)}
    models:
      - llama3
      - qwen*
    requests_per_minute: 60
    tokens_per_minute: 1000
    concurrent: 4
    expires: 2027-01-31
    priority: true
`);
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it('counts an age from now on, and follows a link', async () => {
    const link = `${file}.link`;
    writeFileSync(file, 'keys: []\n');
    symlinkSync(file, link);
    const before = Date.now();
    const { code } = await runConch(['keys', 'create', 'a', '--expires', '30d'], { CONCH_API_KEY_FILE: link });
    expect(code).toBe(0);
    const [, expires = ''] = /expires: (\S+)/.exec(readFileSync(file, 'utf8')) ?? [];
    const days = (Date.parse(expires) - before) / 86_400_000;
    expect(days).toBeGreaterThan(29.99);
    expect(days).toBeLessThan(30.01);
  });

  it.each<[string, readonly string[], string]>([
    ['no name', [], 'conch keys create needs one key name. Write conch keys create NAME.'],
    ['two names', ['a', 'b'], 'conch keys create needs one key name. Write conch keys create NAME.'],
    ['a wrong name', ['a b'], 'NAME must be 1 to 64 letters, digits and . @ : + - _, not "a b".'],
    ['no date', ['a', '--expires', 'soon'], `--expires ${expectedDate}, not "soon".`],
    ['a bare number', ['a', '--expires', '2027'], `--expires ${expectedDate}, not "2027".`],
    ['no number', ['a', '--concurrent', '0'], '--concurrent must be a whole number of at least 1, not 0.'],
  ])('says what is wrong with %s, and writes nothing then', async (_, words, problem) => {
    expect(await keys('create', ...words)).toEqual({ code: 2, stdout: '', stderr: `conch: ${problem}\n` });
    expect(() => statSync(file)).toThrow('ENOENT');
  });

  it('has one key of a name', async () => {
    await made('a');
    expect(await keys('create', 'A')).toEqual({
      code: 2,
      stdout: '',
      stderr: `conch: ${file} already has a key named A. Choose another name, or revoke that key first.\n`,
    });
  });

  it('needs a file that can be written', async () => {
    expect(await runConch(['keys', 'create', 'a'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'conch: --file is missing. Set the key file, for example --file keys.yaml, or CONCH_API_KEY_FILE.\n',
    });
    const nowhere = join(folder, 'no', 'keys.yaml');
    expect(await runConch(['keys', 'create', 'a', '--file', nowhere])).toEqual({
      code: 2,
      stdout: '',
      stderr: `conch: Cannot write ${nowhere}: ENOENT.\n`,
    });
  });
});

describe('conch keys list', () => {
  const hash = hashOf('pearl');
  const short = hash.slice(0, 15);
  beforeEach(() => {
    const limited = { models: ['a', 'b*'], requests_per_minute: 5, tokens_per_minute: 100, concurrent: 2 };
    const listed = [
      { name: 'one', hash },
      { name: 'two', hash: hashOf('b'), ...limited, expires: '2020-01-31', priority: true },
    ];
    writeFileSync(file, JSON.stringify({ keys: listed }));
  });

  it('prints a table', async () => {
    const other = hashOf('b').slice(0, 15);
    expect(await keys('list')).toEqual({
      code: 0,
      stderr: '',
      stdout: [
        'NAME  HASH      MODELS  REQ/MIN  TOK/MIN  CONC  PRIORITY  EXPIRES',
        `one   ${short.slice(7)}  *       -        -        -     no        never`,
        `two   ${other.slice(7)}  a, b*   5        100      2     yes       expired`,
        '',
      ].join('\n'),
    });
  });

  it('prints JSON', async () => {
    const { stdout } = await keys('list', '--json');
    expect(JSON.parse(stdout)).toEqual([
      { name: 'one', hash: short, state: 'valid' },
      {
        name: 'two',
        hash: hashOf('b').slice(0, 15),
        models: ['a', 'b*'],
        requests_per_minute: 5,
        tokens_per_minute: 100,
        concurrent: 2,
        expires: '2020-01-31',
        priority: true,
        state: 'expired',
      },
    ]);
  });

  it('needs a file that is there', async () => {
    rmSync(file);
    expect(await keys('list')).toEqual({
      code: 2,
      stdout: '',
      stderr: `conch: Cannot read the key file ${file}: file not found. Check the path.\n`,
    });
  });
});

describe('conch keys revoke', () => {
  it('takes a key out, and leaves the others and the comments', async () => {
    writeFileSync(file, `# of the team\nkeys:\n  - { name: alice, hash: "${hashOf('a')}" }\n  # his\n`);
    const key = await made('bob');
    expect(await keys('revoke', 'alice')).toEqual({ code: 0, stdout: 'The key alice is revoked.\n', stderr: '' });
    const left = readFileSync(file, 'utf8');
    expect(left).toContain('# of the team');
    expect(left).toContain(`- name: bob\n    hash: ${hashOf(key)}\n`);
    expect(left).not.toContain('alice');
    expect(await keys('revoke', 'bbo')).toEqual({
      code: 2,
      stdout: '',
      stderr: `conch: ${file} has no key named bbo. Did you mean bob?\n`,
    });
    expect((await keys('revoke', 'bob')).code).toBe(0);
    await made('again');
  });
});

it('conch keys needs one more word', async () => {
  const { code, stderr } = await runConch(['keys']);
  expect(code).toBe(2);
  for (const name of ['create', 'list', 'revoke']) expect(stderr).toContain(`conch keys ${name}`);
  const help = await runConch(['keys', '--help']);
  expect([help.code, help.stderr]).toEqual([0, '']);
  for (const name of ['create', 'list', 'revoke']) expect(help.stdout).toContain(`  keys ${name} `);
});

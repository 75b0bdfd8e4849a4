import { describe, expect, it } from 'vitest';
import { type LoadOptions, loadSettings } from './load.ts';
import { SettingsError } from './settings-error.ts';

const flag = '--openai-restricted-api';
const secret = 'pearl-0815';
const known = 'Known APIs are inference, embedding, model-repository, metrics, health.';

function load(argv: readonly string[], options: LoadOptions = {}) {
  return loadSettings({ ...options, argv }).openaiRestrictedApi;
}

const withFile = (text: string) => load(['--config', 'conch.yaml'], { readFile: () => text });
const withVariable = (text: string) => load([], { environment: { CONCH_OPENAI_RESTRICTED_API: text } });

function problems(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

const both = [
  { apis: ['inference', 'embedding'], header: 'User-Key', value: secret },
  { apis: ['model-repository'], header: 'admin-key', value: 'two words' },
];

describe('restricted APIs', () => {
  it('come from flags of three arguments, or of one text', () => {
    const three = [flag, 'inference,embedding', 'User-Key', secret, flag, 'model-repository', 'admin-key', 'two words'];
    const one = [flag, `inference,embedding User-Key ${secret}`, `${flag}=model-repository admin-key two words`];
    expect(load(three)).toEqual(both);
    expect(load(one)).toEqual(both);
  });

  it.each([';', '\n', ' ;\n '])('come from an environment variable, separated by %j', (separator) => {
    const texts = [`inference,embedding User-Key ${secret}`, 'model-repository admin-key two words'];
    expect(withVariable(texts.join(separator))).toEqual(both);
  });

  it('come from the file: as maps or as texts, one or a list', () => {
    const first = `{apis: [inference, embedding], header: User-Key, value: ${secret}}`;
    const second = '{apis: model-repository, header: admin-key, value: two words}';
    expect(withFile(`openai_restricted_api:\n- ${first}\n- ${second}\n`)).toEqual(both);
    expect(withFile(`openai_restricted_api: ${first}`)).toEqual(both.slice(0, 1));
    expect(withFile('openai_restricted_api: model-repository admin-key two words')).toEqual(both.slice(1));
  });

  it.each([
    [['chat', 'x-key', secret], `has the unknown API "chat". ${known}`],
    [['health,inferance', 'x-key', secret], `has the unknown API "inferance". Did you mean inference? ${known}`],
    [[secret, 'x-key', 'health'], `must be APIS HEADER VALUE, in this order. ${known}`],
    [['x-key', 'health', secret], `must be APIS HEADER VALUE, in this order. ${known}`],
    [[`${secret}=`, 'x-key', 'chat'], `must have only known APIs, separated by commas. ${known}`],
    [['health,', 'x-key', secret], `must have only known APIs, separated by commas. ${known}`],
    [['health,health', 'x-key', secret], 'must not restrict health twice.'],
    [['health', 'x-key', secret, flag, 'metrics,health', 'x-other', secret], 'must not restrict health twice.'],
    [['health', 'x-key:', secret], 'must have the name of a header, without spaces or a colon.'],
    [['health', 'x-key', ''], 'must have a value of printable ASCII characters.'],
    [['health', 'x-key', `${secret}ä`], 'must have a value of printable ASCII characters.'],
    [['health', 'x-key'], 'needs 3 values. Write --openai-restricted-api APIS HEADER VALUE.'],
  ])('refuses %j, and repeats no secret', (values, problem) => {
    expect(problems(() => load([flag, ...values]))).toEqual([`${flag} ${problem}`]);
  });

  it('names the environment variable, or the position in the file', () => {
    const expected = 'must be APIS HEADER VALUE, or a map of apis, header and value in the configuration file.';
    expect(problems(() => withVariable(`health x-key ${secret};half`))).toEqual([
      `CONCH_OPENAI_RESTRICTED_API ${expected}`,
    ]);
    const text = (row: string) => `openai_restricted_api:\n  - ${row}\n`;
    const inFile = (row: string) => problems(() => withFile(text(row)));
    expect(inFile('x-key')).toEqual([`conch.yaml:2:5: openai_restricted_api ${expected}`]);
    expect(inFile(`{apis: [health, chat], header: x-key, value: ${secret}}`)).toEqual([
      `conch.yaml:2:21: openai_restricted_api.apis has the unknown API "chat". ${known}`,
    ]);
    expect(inFile(`{apis: health, header: x-key, vlaue: ${secret}}`)).toEqual([
      'conch.yaml:2:5: openai_restricted_api.value is missing.',
      'conch.yaml:2:35: openai_restricted_api.vlaue is not a key.',
    ]);
    expect(inFile('{apis: health, header: x-key, value: 815}')).toEqual([
      'conch.yaml:2:35: openai_restricted_api.value must be text in quotes.',
    ]);
  });
});

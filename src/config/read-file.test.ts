import { describe, expect, it } from 'vitest';
import { modelTable } from './model-settings.ts';
import { readFileSettings } from './read-file.ts';
import { settingTable } from './settings.ts';

function read(text: string) {
  const { inputs, problems } = readFileSettings({ file: 'c.yaml', text, settings: settingTable, models: modelTable });
  return {
    given: inputs.map(({ name, model, input, where }) => [
      model === undefined ? name : `${model}/${name}`,
      input,
      where,
    ]),
    problems,
  };
}

function level(name: string, inner: string): string {
  return `&${name} [${Array.from({ length: 10 }, () => inner).join(', ')}]`;
}

describe('readFileSettings', () => {
  it.each([[''], ['\n'], ['# nothing\n'], ['{}'], ['---\n'], ['port:\n'], ['models:\n'], ['models: {a: , b: {}}']])(
    'finds nothing in %j',
    (text) => {
      expect(read(text)).toEqual({ given: [], problems: [] });
    },
  );

  it('reads YAML with the place of every key', () => {
    const text =
      'port: 1\nmax-message-size: 1MiB\ntriton:\n  - a\n  - b\nmodels:\n  "llama 3":\n    context-length: "4096"\n';
    expect(read(text)).toEqual({
      given: [
        ['port', 1, 'c.yaml:1:1'],
        ['maxMessageSize', '1MiB', 'c.yaml:2:1'],
        ['triton', ['a', 'b'], 'c.yaml:3:1'],
        ['llama 3/contextLength', 4096, 'c.yaml:8:5'],
      ],
      problems: [],
    });
  });

  it('reads JSON, indented with tabs too', () => {
    const text = JSON.stringify(
      { port: 1, models: { 'a/b': { serves: 'c' }, __proto__x: { serves: 'd' } } },
      null,
      '\t',
    );
    expect(read(text)).toEqual({
      given: [
        ['port', 1, 'c.yaml:2:2'],
        ['a/b/serves', 'c', 'c.yaml:5:4'],
        ['__proto__x/serves', 'd', 'c.yaml:8:4'],
      ],
      problems: [],
    });
  });

  it('takes one item for a list, and a map for headers', () => {
    expect(read('triton: a\ntriton_header:\n  - x: "1"\n  - "y: 2"\n').given).toEqual([
      ['triton', ['a'], 'c.yaml:1:1'],
      ['tritonHeader', [{ x: '1' }, 'y: 2'], 'c.yaml:2:1'],
    ]);
    expect(read('triton_header: {x: "1"}').given).toEqual([['tritonHeader', [{ x: '1' }], 'c.yaml:1:1']]);
  });

  it('follows anchors and keeps the names of models as they are written', () => {
    expect(read('models:\n  1.0: &one {serves: a}\n  __proto__: *one\n').given).toEqual([
      ['1.0/serves', 'a', 'c.yaml:2:14'],
      ['__proto__/serves', 'a', 'c.yaml:2:14'],
    ]);
  });

  it('does not unfold a bomb of aliases', () => {
    const bomb = `triton: [${level('a', 'x')}, ${level('b', '*a')}, ${level('c', '*b')}, ${level('d', '*c')}]`;
    expect(read(bomb)).toEqual({
      given: [],
      problems: ['c.yaml:1:1: triton has too many YAML aliases (*name). Write the values out.'],
    });
  });

  it.each([
    ['port: 1\nport: 2\n', ['c.yaml:2:1: Duplicate key. Remove one of the two.']],
    ['{"port": 1,\n "port": 2}', ['c.yaml:2:2: Duplicate key. Remove one of the two.']],
    ['log_level: info\nlog-level: info\n', ['c.yaml:2:1: log-level is set twice. Remove one.']],
    ['models:\n  a: {serves: b}\n  a: {serves: c}\n', ['c.yaml:3:3: Duplicate key. Remove one of the two.']],
    ['prot: 1', ['c.yaml:1:1: prot is not a key. Did you mean port?']],
    ['openai_port: 1', ['c.yaml:1:1: openai_port is not a key. Did you mean port?']],
    ['backend: vllm', ['c.yaml:1:1: backend is not a key. Did you mean contract?']],
    ['modles: {}', ['c.yaml:1:1: modles is not a key. Did you mean models?']],
    ['defaultMaxTokens: 1', ['c.yaml:1:1: defaultMaxTokens is not a key. Did you mean default_max_tokens?']],
    ['help: true', ['c.yaml:1:1: help is not a key. See docs/settings.md.']],
    ['config: a', ['c.yaml:1:1: config is not a key. See docs/settings.md.']],
    ['embedding: {}', ['c.yaml:1:1: embedding is not a key. See docs/settings.md.']],
    ['serves: a', ['c.yaml:1:1: serves is not a key. See docs/settings.md.']],
    ['models: {a: {port: 1}}', ['c.yaml:1:14: models.a.port is not a key. See docs/settings.md.']],
    ['models: {a: {tokeniser: 1}}', ['c.yaml:1:14: models.a.tokeniser is not a key. Did you mean tokenizer?']],
    ['models: [a]', ['c.yaml:1:1: models must be a map of keys and values.']],
    ['models: {a: b}', ['c.yaml:1:10: models.a must be a map of keys and values.']],
    ['- port', ['c.yaml:1:1: The file must be a map of keys and values, for example "port: 9000".']],
    ['port', ['c.yaml:1:1: The file must be a map of keys and values, for example "port: 9000".']],
    ['a: 1\n---\nb: 1\n', ['c.yaml:2:1: The file must be one YAML document. Remove the --- between documents.']],
    ['{"port": 1', ['c.yaml:1:11: A character is missing. Add the closing bracket, quote or comma.']],
    ['host: x\nport 9000\nlog_level: info\n', ['c.yaml:2:1: The line must have a key, a colon and a space.']],
    ['host: x\n  port: 9000\n', ['c.yaml:1:7: Unexpected key and value. Put a value that contains ": " in quotes.']],
    ['host: @x\n', ['c.yaml:1:7: The value begins with @ or `. Put it in quotes.']],
    ['models:\n\ta: 1\n', ['c.yaml:2:1: The line is indented with a tab. Use spaces.']],
  ])('says of %j what is wrong', (text, problems) => {
    expect(read(text).problems).toEqual(problems);
  });
});

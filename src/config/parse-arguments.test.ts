import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Command } from './command.ts';
import { type ParsedArguments, parseArguments } from './parse-arguments.ts';
import { inGroup, setting } from './setting.ts';

const settings = {
  help: setting(z.boolean().default(false), 'Help.', { short: 'h' }),
  helpAll: setting(z.boolean().default(false), 'All help.'),
  ...inGroup('api', {
    port: setting(z.number().default(1), 'Port.', { short: 'p', aliases: ['openai-port'] }),
    strictFields: setting(z.boolean().default(false), 'Strict.'),
    restricted: setting(z.array(z.array(z.string())).default([]), 'Three.', { placeholder: ['APIS', 'KEY', 'VALUE'] }),
  }),
  ...inGroup('models', { tokenizer: setting(z.string().optional(), 'Tokenizer.') }),
};

const url = setting(z.string().optional(), 'Address.');

const commands: readonly [Command, ...Command[]] = [
  {
    name: 'serve',
    summary: 'Serve',
    groups: ['api', 'models', 'general'],
    takesRest: true,
    insteadOfArguments: 'Name models by --triton.',
  },
  {
    name: 'models',
    summary: 'List',
    groups: ['models'],
    flags: { json: setting(z.boolean().default(false), 'As JSON.') },
  },
  { name: 'generate', summary: 'Generate', groups: ['models'], arguments: 'MODEL' },
  { name: 'chat', summary: 'Chat', groups: [], flags: { url } },
  { name: 'bench', summary: 'Bench', groups: [], flags: { url } },
  { name: 'keys create', summary: 'Create', groups: [], arguments: 'NAME', flags: { url } },
];

function parse(...argv: string[]): Partial<ParsedArguments> {
  return parseArguments({ argv, settings, commands });
}

const nothing: ParsedArguments = {
  command: 'serve',
  commandNamed: false,
  help: false,
  isFull: false,
  settingsInput: [],
  positionals: [],
  rest: [],
  problems: [],
};

describe('parseArguments', () => {
  it('serves when nothing is written', () => {
    expect(parse()).toEqual(nothing);
  });

  it.each([
    [['--port', '9'], '--port', ['9']],
    [['--port=9'], '--port', ['9']],
    [['--port='], '--port', ['']],
    [['--openai-port', '9'], '--openai-port', ['9']],
    [['-p', '9'], '-p', ['9']],
    [['-p9'], '-p', ['9']],
    [['-p=9'], '-p', ['9']],
    [['--port', '-9'], '--port', ['-9']],
  ])('takes the value of %j', (argv, flag, values) => {
    expect(parse(...argv)).toEqual({ ...nothing, settingsInput: [{ name: 'port', flag, values }] });
  });

  it.each([
    [['--strict-fields'], '--strict-fields', 'true'],
    [['--no-strict-fields'], '--no-strict-fields', 'false'],
    [['--strict-fields=false'], '--strict-fields', 'false'],
    [['--strict-fields=maybe'], '--strict-fields', 'maybe'],
  ])('takes the switch %j', (argv, flag, value) => {
    expect(parse(...argv)).toEqual({ ...nothing, settingsInput: [{ name: 'strictFields', flag, values: [value] }] });
  });

  it('takes the three arguments of one flag, or the three in one text', () => {
    const value = { name: 'restricted', flag: '--restricted', values: ['inference,health', 'x-key', 'word'] };
    const expected = { ...nothing, settingsInput: [value, { name: 'port', flag: '-p', values: ['1'] }] };
    expect(parse('--restricted', 'inference,health', 'x-key', 'word', '-p', '1')).toEqual(expected);
    expect(parse('--restricted', ' inference,health x-key  word ', '-p', '1')).toEqual(expected);
    expect(parse('--restricted=inference,health', 'x-key', 'word', '-p', '1')).toEqual(expected);
    expect(parse('--restricted=inference,health x-key word', '-p', '1')).toEqual(expected);
    expect(parse('--restricted', 'inference', 'x-key').problems).toEqual([
      '--restricted needs 3 values. Write --restricted APIS KEY VALUE.',
    ]);
  });

  it('lets the last of three arguments have spaces, and the first one where it is not all three', () => {
    const values = (...argv: string[]) => parse(...argv).settingsInput?.map((value) => value.values);
    expect(values('--restricted', 'health x-key two  words')).toEqual([['health', 'x-key', 'two  words']]);
    expect(values('--restricted', 'health', 'x-key', 'two words')).toEqual([['health', 'x-key', 'two words']]);
    expect(values('--restricted', 'health, metrics', 'x-key', 'a')).toEqual([['health, metrics', 'x-key', 'a']]);
  });

  it('returns the words after --', () => {
    expect(parse('-p', '1', '--', '--exit-on-error', 'x', '--')).toEqual({
      ...nothing,
      settingsInput: [{ name: 'port', flag: '-p', values: ['1'] }],
      rest: ['--exit-on-error', 'x', '--'],
    });
    expect(parse('models', '--', 'x').problems).toEqual(['conch models takes no arguments after --. Remove them.']);
  });

  it('finds the command among flags, with flags and arguments of its own', () => {
    expect(parse('--tokenizer', 'models', 'models', '--json')).toEqual({
      ...nothing,
      command: 'models',
      commandNamed: true,
      settingsInput: [
        { name: 'tokenizer', flag: '--tokenizer', values: ['models'] },
        { name: 'json', flag: '--json', values: ['true'] },
      ],
    });
    expect(parse('generate', 'llama', '-')).toEqual({
      ...nothing,
      command: 'generate',
      commandNamed: true,
      positionals: ['llama', '-'],
    });
    expect(parse('keys', 'create', 'me')).toEqual({
      ...nothing,
      command: 'keys create',
      commandNamed: true,
      positionals: ['me'],
    });
  });

  it.each([
    [['help'], 'serve', false],
    [['--help'], 'serve', false],
    [['-h', '--prot'], 'serve', false],
    [['help', 'models'], 'models', true],
    [['models', '--help'], 'models', true],
    [['models', '-h', '--port', '1'], 'models', true],
  ])('gives help for %j', (argv, command, commandNamed) => {
    const { settingsInput: _, ...parsed } = parse(...argv);
    const { settingsInput: __, ...expected } = nothing;
    expect(parsed).toEqual({ ...expected, help: true, command, commandNamed });
  });

  it.each([
    [['help', 'all'], 'serve', false],
    [['--help', 'all'], 'serve', false],
    [['--help-all'], 'serve', false],
    [['--help-all', '--prot'], 'serve', false],
    [['models', '--help-all'], 'models', true],
  ])('gives help with all flags for %j', (argv, command, commandNamed) => {
    expect(parse(...argv)).toMatchObject({ help: true, isFull: true, command, commandNamed, problems: [] });
  });

  it.each([
    [['keys', '--help']],
    [['keys', '--help-all']],
    [['keys', '-h']],
    [['help', 'keys']],
    [['--help', 'keys', '--json']],
    [['keys', 'frobnicate', '--help']],
  ])('gives help for the commands of a group: %j', (argv) => {
    expect(parse(...argv)).toMatchObject({ help: true, group: 'keys', commandNamed: false, problems: [] });
    expect(parse('keys')).toMatchObject({
      help: false,
      group: undefined,
      problems: ['conch keys needs a second word. Use one of:\n  conch keys create  Create'],
    });
  });

  it.each([
    [['--prot', '9'], ['--prot is not a flag. Did you mean --port?']],
    [['--prot=9'], ['--prot is not a flag. Did you mean --port?']],
    [
      ['-port', '9', '--toknizer=x'],
      ['-port is not a flag. Did you mean --port?', '--toknizer is not a flag. Did you mean --tokenizer?'],
    ],
    [['-tokenizer', 'x'], ['-tokenizer is not a flag. Did you mean --tokenizer?']],
    [['--strict_fields'], ['--strict_fields is not a flag. Did you mean --strict-fields?']],
    [['--no-strict-field'], ['--no-strict-field is not a flag. Did you mean --no-strict-fields?']],
    [
      ['--colour', 'models', '--jsn'],
      ['--colour is not a flag. Run conch help all for the flags.', '--jsn is not a flag. Did you mean --json?'],
    ],
    [['--json', 'models'], ['--json is a flag of conch models. Write it after the command.']],
    [['--url', 'x'], ['--url is a flag of conch chat, conch bench and conch keys create. Write it after the command.']],
    [
      ['models', '--url', 'x'],
      ['--url is a flag of conch chat, conch bench and conch keys create, not of conch models. Remove it.'],
    ],
    [['generate', 'x', '--json'], ['--json is a flag of conch models, not of conch generate. Remove it.']],
    [['modles'], ['"modles" is not a command. Did you mean models?']],
    [['help', 'modles'], ['"modles" is not a command. Did you mean models?']],
    [['models', '--colour'], ['--colour is not a flag. Run conch models --help for the flags.']],
    [
      ['--ssl-certfile', 'x', '--ssl_keyfile=y'],
      ['--ssl-certfile is not a flag. Use --tls-cert instead.', '--ssl_keyfile is not a flag. Use --tls-key instead.'],
    ],
    [['all'], ['"all" is not a command. Run conch --help for the commands.']],
    [['frobnicate'], ['"frobnicate" is not a command. Run conch --help for the commands.']],
    [['version'], ['"version" is not a command. Did you mean --version?']],
    [['serve', 'org/name'], ['conch serve takes no argument "org/name". Name models by --triton.']],
    [['models', 'llama'], ['conch models takes no argument "llama".']],
    [['models', '--port', '1'], ['--port has no effect on conch models. Remove it.']],
    [['--port'], ['--port needs a value. Write --port N.']],
    [['--port', '--strict-fields'], ['--port needs a value. Write --port N.']],
    [['-p', '-h'], []],
    [['--no-strict-fields=true'], ['--no-strict-fields takes no value. Write only --no-strict-fields.']],
  ])('says of %j what is wrong', (argv, problems) => {
    expect(parse(...argv).problems).toEqual(problems);
  });
});

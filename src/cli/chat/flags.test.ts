import { describe, expect, it } from 'vitest';
import { defaultCommand } from '../../config/command.ts';
import { helpText } from '../../config/help.ts';
import { ownFlags, readCommandLine } from '../../config/load.ts';
import { type ChatFlags, chatDefinition, checkChatFlags } from './flags.ts';

const commands = [defaultCommand, chatDefinition] as const;

function flagsOf(...argv: readonly string[]): ChatFlags {
  const invocation = readCommandLine({ argv: ['chat', ...argv], commands });
  if (invocation.action !== 'run') throw new Error(invocation.action);
  const flags = ownFlags(invocation, chatDefinition);
  checkChatFlags(flags, invocation.flagNames);
  return flags;
}

describe('the flags of conch chat', () => {
  it('have defaults', () => {
    expect(flagsOf()).toEqual({
      url: 'http://127.0.0.1:9000',
      header: {},
      insecure: false,
      set: [],
      stats: false,
      history: true,
    });
  });

  it('are read', () => {
    const written =
      '--url https://host/v1 --insecure --system Hello --set temperature=0.2 --set stop=["a"] --no-history --no-reasoning --stats';
    expect(flagsOf(...written.split(' '))).toEqual({
      url: 'https://host/v1',
      header: {},
      insecure: true,
      system: 'Hello',
      set: [
        ['temperature', 0.2],
        ['stop', ['a']],
      ],
      reasoning: false,
      stats: true,
      history: false,
    });
  });

  it.each([
    ['--set novalue', '--set must be name=value'],
    ['--set stream=false', '--set: stream cannot be set. Responses are always streamed.'],
    ['--insecure', '--insecure has no effect on a URL that begins with http://. Remove it.'],
    ['--ca ca.pem', '--ca has no effect on a URL that begins with http://. Remove it.'],
    ['--url https://host --ca ca.pem --insecure', '--ca and --insecure exclude each other.'],
    ['--url http://me:secret@host', '--url must not contain a user or password.'],
    ['--triton localhost:8001', '--triton has no effect on conch chat. Remove it.'],
  ])('are refused: %s', (written, problem) => {
    expect(() => flagsOf(...written.split(' '))).toThrow(problem);
    expect(() => flagsOf(...written.split(' '))).not.toThrow('secret');
  });

  it('are in the help', () => {
    const help = helpText({ commands: [...commands], command: 'chat', width: 80 });
    expect(help).toMatchSnapshot();
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

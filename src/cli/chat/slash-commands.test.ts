import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ChatResponse } from './chat-response.ts';
import { Conversation } from './conversation.ts';
import type { ChatServer } from './server.ts';
import { completeSlashCommand, runSlashCommand } from './slash-commands.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-slash-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Server = Pick<ChatServer, 'models' | 'origin' | 'last' | 'total'>;

const server: Server = {
  origin: 'http://host',
  models: () => Promise.resolve(['toy', 'other']),
  last: undefined,
  total: { prompt: 0, completion: 0 },
};

function open(more: Partial<Server> = {}) {
  const conversation = new Conversation('toy');
  /** What is said, and what is to be done then. */
  const run = async (line: string) => {
    const said: string[] = [];
    const after = await runSlashCommand(line, {
      conversation,
      server: { ...server, ...more } as ChatServer,
      signal: new AbortController().signal,
      say: (text) => void said.push(text),
    });
    return { said, after };
  };
  return { conversation, run };
}

const silent = { said: [], after: undefined };
const says = (...said: readonly string[]) => ({ said, after: undefined });

function responded(conversation: Conversation, prompt: string, text: string): void {
  conversation.request(prompt);
  conversation.keep({ text, calls: [] });
}

describe('the commands of a chat', () => {
  it('are listed by /help', async () => {
    const { said } = await open().run('/help');
    expect(said.join('').split('\n')).toEqual([
      '/help                List the commands.',
      '/model [NAME]        Show the model, or switch to another.',
      '/models              List the models of the server.',
      '/system [TEXT]       Show the system message, or set it. - removes it.',
      '/set [NAME [VALUE]]  Show the request fields, or set one, for example temperature 0.2. Without a value, remove it.',
      '/clear               Clear the conversation. The system message and the fields stay.',
      '/save FILE           Save the conversation to a file.',
      '/load FILE           Continue the conversation of a file from /save.',
      '/retry               Send the last message again, and discard its response.',
      '/usage               Show tokens, time to first token and tokens/s of the last response, and the total tokens.',
      '/quit                Quit, like Ctrl-D.',
      'A message continues after a \\ at the end of a line, or from """ to """.',
      'Ctrl-C stops a response.',
    ]);
  });

  it('show and change the model', async () => {
    const { conversation, run } = open();
    expect(await run('/model')).toEqual(says('toy'));
    expect(await run('/models')).toEqual(says('* toy', '  other'));
    expect(await run('/model other')).toEqual(says('Switched to other.'));
    expect(conversation.model).toBe('other');
    await expect(run('/model nobody')).rejects.toThrow(
      'http://host has no chat model "nobody". Available models: toy, other.',
    );
    expect(conversation.model).toBe('other');
  });

  it('show and change the system message', async () => {
    const { conversation, run } = open();
    expect(await run('/system')).toEqual(says('There is no system message.'));
    expect(await run('/system Be brief.\nVery.')).toEqual(silent);
    expect(await run('/system')).toEqual(says('Be brief.\nVery.'));
    expect(await run('/system -')).toEqual(silent);
    expect(conversation.system).toBe(undefined);
  });

  it('set fields and take them away', async () => {
    const { conversation, run } = open();
    expect(await run('/set')).toEqual(says("No fields are set. The server's defaults apply."));
    expect(await run('/set temperature 0.2')).toEqual(says('temperature is now 0.2.'));
    expect(await run('/set stop ["a b"]')).toEqual(says('stop is now ["a b"].'));
    expect(await run('/set user some one')).toEqual(says('user is now "some one".'));
    expect(await run('/set')).toEqual(says('temperature 0.2', 'stop ["a b"]', 'user "some one"'));
    expect(await run('/set stop')).toEqual(says('Removed stop.'));
    expect([...conversation.fields.keys()]).toEqual(['temperature', 'user']);
    await expect(run('/set stop')).rejects.toThrow('stop is not set. Set it with /set stop VALUE.');
    await expect(run('/set stream false')).rejects.toThrow('stream cannot be set. Responses are always streamed.');
  });

  it('forget and ask again', async () => {
    const { conversation, run } = open();
    await expect(run('/retry')).rejects.toThrow('There is no message yet.');
    responded(conversation, 'One?', '1');
    expect(await run('/retry')).toEqual({ said: [], after: { ask: 'One?' } });
    expect(conversation.length).toBe(0);
    responded(conversation, 'Two?', '2');
    expect(await run('/clear')).toEqual(says('Conversation cleared.'));
    expect(conversation.length).toBe(0);
  });

  it('save and load', async () => {
    const file = join(folder, 'talk.json');
    const { conversation, run } = open();
    responded(conversation, 'One?', '1');
    for (let time = 0; time < 2; time++)
      expect(await run(`/save ${file}`)).toEqual(says(`Saved 2 messages to ${file}.`));
    const other = open();
    expect(await other.run(`/load ${file}`)).toEqual(says(`Loaded 2 messages from ${file}.`));
    expect(other.conversation.saved()).toBe(conversation.saved());
  });

  it('write over no file that is something else', async () => {
    const file = join(folder, 'notes.txt');
    writeFileSync(file, 'notes');
    for (const command of ['save', 'load'])
      await expect(open().run(`/${command} ${file}`)).rejects.toThrow(
        `${file} is not a conversation from /save. Choose another file.`,
      );
    expect(readFileSync(file, 'utf8')).toBe('notes');
    await expect(open().run(`/load ${folder}/none`)).rejects.toThrow(`Cannot use ${folder}/none: ENOENT.`);
    await expect(open().run(`/save ${folder}`)).rejects.toThrow(`Cannot use ${folder}: EISDIR.`);
  });

  it('tell what was used', async () => {
    await expect(open().run('/usage')).rejects.toThrow('There is no response yet.');
    const response = new ChatResponse();
    response.usage = { prompt: 3, completion: 2 };
    const last = { response, timing: { toFirst: 5, fromFirst: 10 }, wasStopped: false };
    expect(await open({ last, total: { prompt: 6, completion: 4 } }).run('/usage')).toEqual(
      says('3 tokens in, 2 out, first after 5 ms, 100.0 tokens/s', '6 tokens in, 4 out in all'),
    );
  });

  it('end', async () => {
    expect(await open().run('/quit')).toEqual({ said: [], after: 'quit' });
  });

  it.each([
    [
      '/modle',
      '/modle is not a command. Did you mean /model? Use /help for the commands, or // to begin a message with a slash.',
    ],
    ['/', '/ is not a command. Use /help for the commands, or // to begin a message with a slash.'],
    ['/quit now', '/quit takes no argument.'],
    ['/save', '/save needs an argument. Write /save FILE.'],
  ])('are refused: %s', async (line, words) => {
    await expect(open().run(line)).rejects.toThrow(words);
  });

  it.each([
    ['/mo', ['/model', '/models']],
    ['/', 11],
    ['what', []],
  ])('are completed: %s', (line, names) => {
    const completed = completeSlashCommand(line);
    expect(typeof names === 'number' ? completed.length : completed).toEqual(names);
  });
});

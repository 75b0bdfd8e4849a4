import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runConch } from '../support/command.ts';
import type { Conch } from '../support/conch.ts';
import { inRoot } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { startGateway } from '../support/gateway.ts';
import { tools, written } from '../tools/requests.ts';
import { PseudoTerminal } from './pseudo-terminal.ts';

const key = 'test-key-of-nobody';
const folder = mkdtempSync(join(tmpdir(), 'conch-chat-'));
const environment = { CONCH_API_KEY: key, OPENAI_API_KEY: undefined, CONCH_CACHE: folder };
const thought = directive({ answer: '<think>\nTwo and two.\n</think>\n\nIt is 4.' });
/** A model whose prompts hold no special tokens, so that it can echo them whole. */
const plain = 'vllm-2502';
let conch: Conch;

beforeAll(async () => {
  conch = await startGateway('--api-key', key, '--chat-template', `${plain}=${inRoot('test/gateway/plain.jinja')}`);
});
afterAll(async () => {
  await conch.stop();
  rmSync(folder, { recursive: true });
});

/** A chat on a terminal, whose first prompt has been shown. */
async function open(model: string, flags: readonly string[] = [], more: Readonly<Record<string, string>> = {}) {
  const words = ['chat', model, '--url', conch.url, ...flags];
  const terminal = new PseudoTerminal(words, { ...environment, ...more });
  onTestFinished(() => terminal.close());
  const greeting = `${model} at ${conch.url}. /help lists the commands, Ctrl-D exits.\n> `;
  expect(await terminal.until('\n> ')).toBe(greeting);
  /** Sends a message, and gives what is shown up to the next prompt. */
  const send = async (message: string): Promise<string> => {
    terminal.type(`${message}\r`);
    expect(await terminal.until(message)).toBe(message);
    const displayed = await terminal.until('\n> ');
    return displayed.slice('\n'.length, -'\n> '.length);
  };
  return { terminal, send };
}

const ctrl = { c: '\u0003', d: '\u0004' } as const;

describe('conch chat on a terminal', () => {
  it('has a conversation of several turns', async () => {
    const { terminal, send } = await open(plain, ['--system', 'Be brief.']);
    expect(await send(directive({ answer: 'A shell.' }))).toBe('A shell.');
    const prompt = JSON.parse(await send(`And now? ${directive({ echo_prompt: true })}`)) as string;
    const locations = ['Be brief.', '"answer"', 'A shell.', 'And now?'].map((text) => prompt.lastIndexOf(text));
    expect(locations.every((location, index) => location > (locations[index - 1] ?? -1))).toBe(true);
    terminal.type(ctrl.d);
    expect(await terminal.exitCode).toBe(0);
  });

  it('stops an answer at Ctrl-C, and goes on with what has come of it', async () => {
    const { terminal, send } = await open(plain);
    const message = directive({ tokens: 100, delay_ms: 100, tag: 'chat-stopped' });
    terminal.type(`${message}\r`);
    await terminal.until(`${message}\n`);
    await terminal.until(' w3');
    terminal.type(ctrl.c);
    expect(await terminal.until('\n> ')).toMatch(/\n\(stopped\)\n> $/);
    const count = JSON.parse(await send(directive({ count_of: 'chat-stopped', until: 'cancelled' }))) as object;
    expect(count).toMatchObject({ state: 'cancelled' });
    const prompt = JSON.parse(await send(directive({ echo_prompt: true }))) as string;
    expect(prompt).toContain(' w1 w2 w3');
    terminal.type(ctrl.c);
    expect(await terminal.until('\n> ')).toBe('\n(press Ctrl-C again to exit, or use Ctrl-D or /quit)\n> ');
    terminal.type(ctrl.c);
    expect(await terminal.exitCode).toBe(0);
  });

  it('obeys its commands', async () => {
    const { terminal, send } = await open(plain);
    const file = join(folder, 'talk.json');
    expect(await send('/model')).toBe(plain);
    expect((await send('/models')).split('\n')).toContain(`* ${plain}`);
    expect(await send('/model nobody')).toContain(`conch: ${conch.url} has no chat model "nobody". Available models: `);
    expect(await send('/set top_k 7')).toBe('top_k is now 7.');
    const received = JSON.parse(await send(directive({ echo_parameters: true }))) as object;
    expect(JSON.stringify(received)).toContain('top_k');
    expect(await send('/set top_k many')).toBe('top_k is now "many".');
    expect(await send(directive({ answer: 'A.' }))).toMatch(/^conch: HTTP 400: .*top_k/);
    expect(await send('/set top_k')).toBe('Removed top_k.');
    expect(await send('/clear')).toBe('Conversation cleared.');
    expect(await send(directive({ answer: 'A shell.' }))).toBe('A shell.');
    expect(await send('/retry')).toBe('A shell.');
    expect(await send('/usage')).toMatch(
      /^\d+ tokens in, \d+ out, first after \d+ ms(, [\d.]+ tokens\/s)?\n\d+ tokens in, \d+ out in all$/,
    );
    expect(await send(`/save ${file}`)).toBe(`Saved 2 messages to ${file}.`);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      model: plain,
      fields: {},
      messages: [
        { role: 'user', content: directive({ answer: 'A shell.' }) },
        { role: 'assistant', content: 'A shell.' },
      ],
    });
    expect(await send(`/load ${file}`)).toBe(`Loaded 2 messages from ${file}.`);
    terminal.type('/quit\r');
    expect(await terminal.exitCode).toBe(0);
  });

  it('takes messages of several lines, and brings earlier ones back another time', async () => {
    const first = await open(plain);
    first.terminal.type('One\\\r');
    await first.terminal.until('… ');
    first.terminal.type(`two ${directive({ echo_prompt: true })}\r`);
    await first.terminal.until('}>>\n');
    expect(await first.terminal.until('\n> ')).toContain(String.raw`One\ntwo <<`);
    await first.send('/model');
    first.terminal.type('/quit\r');
    await first.terminal.exitCode;
    const second = await open(plain);
    second.terminal.type('\u001b[A\u001b[A\r');
    expect(await second.terminal.until(`${plain}\n> `)).toContain('/model\n');
  });

  it('dims reasoning and shows calls, with colours only where they are wanted', async () => {
    const flags = ['--stats', '--set', `tools=${JSON.stringify(tools)}`];
    const coloured = await open('vllm-toy', flags);
    expect(await coloured.send(thought)).toMatch(/^Two and two\.\n\nIt is 4\.\n\(\d+ tokens in, \d+ out, first after /);
    expect(coloured.terminal.raw).toContain('\u001b[2mTwo');
    const call = directive({ answer: written('get_weather', '{"city": "Bern"}') });
    expect(await coloured.send(call)).toMatch(/^→ get_weather\(\{"city": "Bern"\}\)\n/);
    const colourless = await open('vllm-toy', [], { NO_COLOR: '1' });
    await colourless.send(thought);
    expect(colourless.terminal.raw).not.toContain('\u001b[2m');
    expect(colourless.terminal.raw).not.toContain('\u001b[1m');
  });
});

/** One question: the words behind the model, and what is piped in. */
function ask(words: readonly string[], input: string, more: Readonly<Record<string, string | undefined>> = {}) {
  const argv = [inRoot('dist/main.js'), 'chat', ...words, '--url', conch.url];
  const env = { ...process.env, ...environment, ...more };
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { input, encoding: 'utf8', env });
  return { status, stdout, stderr };
}

describe('conch chat in a pipe', () => {
  it.each<[string, string[], string]>([
    ['as an argument', [directive({ answer: 'A shell.' })], ''],
    ['on standard input', [], `${directive({ answer: 'A shell.' })}\n`],
    ['in both', ['Say this:'], directive({ answer: 'A shell.' })],
  ])('answers a question once: %s', (_, words, input) => {
    expect(ask(['vllm-toy', ...words], input)).toEqual({ status: 0, stdout: 'A shell.\n', stderr: '' });
  });

  it('puts what is piped in behind the question', () => {
    const { stdout } = ask(['vllm-toy', 'Say', 'this:'], `a line\n${directive({ echo_prompt: true })}\n`);
    expect(stdout).toContain(String.raw`Say this:\n\na line\n<<`);
  });

  it('gives the answer alone, and reasoning where it is asked for', () => {
    expect(ask(['vllm-toy', thought], '')).toEqual({ status: 0, stdout: 'It is 4.\n', stderr: '' });
    expect(ask(['vllm-toy', thought, '--reasoning'], '').stdout).toBe('Two and two.\n\nIt is 4.\n');
    const cut = ask(['vllm-toy', directive({ tokens: 9 }), '--set', 'max_tokens=2', '--stats'], '');
    expect(cut).toMatchObject({ status: 0, stdout: ' w1 w2\n' });
    expect(cut.stderr).toMatch(
      /^\(stopped at the token limit: raise it with --set max_tokens=N\)\n\(\d+ tokens in, 2 out, first after \d+ ms/,
    );
  });

  it('fails in one line', () => {
    expect(ask(['vllm-toy', directive({ error_at: 0, error_text: 'no luck' })], '')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^conch: .+\n$/),
    });
    expect(ask(['vllm-toy'], ' \n')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'conch: The prompt is empty. Write it after the model, or send it to standard input.\n',
    });
    const { status, stderr } = ask(['What is it?'], '');
    expect([status, stderr.split('\n').length]).toEqual([2, 2]);
    expect(stderr).toContain(`conch: ${conch.url} has no chat model "What is it?". Available models: `);
    expect(stderr).toContain('Write the prompt after the model, or after --: conch chat -- "PROMPT".');
  });

  it('says that a key is wrong, without showing it', () => {
    const wrong = ask(['vllm-toy', 'Hello'], '', { CONCH_API_KEY: 'not-the-key' });
    expect(wrong).toMatchObject({ status: 2, stdout: '' });
    expect(wrong.stderr).toMatch(/^conch: http:\S+ rejected the API key \(--api-key or CONCH_API_KEY\): .+\n$/);
    expect(wrong.stderr).not.toContain('not-the-key');
  });

  it('says how to start a server where there is none', async () => {
    expect(await runConch(['chat', '--url', 'http://127.0.0.1:1'], environment)).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'conch: http://127.0.0.1:1 is unreachable: ECONNREFUSED. Start a server in another terminal: ' +
        'conch --triton HOST:8001, or conch without flags for a small default model. For a server elsewhere, set --url.\n',
    });
  });
});

import { describe, expect, it } from 'vitest';
import { coloursFor } from '../colours.ts';
import { ChatResponse } from './chat-response.ts';
import { Conversation } from './conversation.ts';
import { runConversation } from './conversation-loop.ts';
import { ChatError, type ChatServer } from './server.ts';

type Requested = Parameters<ChatServer['ask']>;

/** A server that answers a question with its number, and fails at one that says so. */
function counting() {
  const prompts: string[] = [];
  const ask = async (...[body, { onPart }]: Requested) => {
    const { messages } = body as { messages: { content: string }[] };
    const prompt = messages.at(-1)?.content ?? '';
    prompts.push(prompt);
    const response = new ChatResponse();
    const delta = { content: `answer ${prompts.length}` };
    const reason = prompt === 'long' ? 'length' : 'stop';
    for (const part of response.take(JSON.stringify({ choices: [{ delta, finish_reason: reason }] }))) onPart(part);
    if (prompt === 'fail') throw new ChatError('HTTP 500: no luck');
    return { response, timing: { toFirst: 1, fromFirst: 0 }, wasStopped: false };
  };
  return { ask, prompts };
}

/** What a talk with these messages shows, and what was asked. */
async function talkOf(
  messages: readonly string[],
  {
    showsStats = false,
    signal = new AbortController().signal,
    ...more
  }: { showsStats?: boolean; signal?: AbortSignal } & Partial<Pick<ChatServer, 'models'>> = {},
) {
  const { ask, prompts } = counting();
  const left = [...messages];
  let displayed = '';
  const conversation = new Conversation('toy');
  await runConversation({
    conversation,
    server: { ask, ...more } as unknown as ChatServer,
    editor: {
      read: () => Promise.resolve(left.shift()),
      interruptible: (work) => work(signal),
    },
    write: (text) => (displayed += text),
    say: (line) => (displayed += `${line}\n`),
    err: (line) => (displayed += `! ${line}\n`),
    colours: coloursFor(false),
    showsReasoning: true,
    showsStats,
  });
  return { displayed, prompts, left, length: conversation.length };
}

describe('talk', () => {
  it('responds to messages until there are no more', async () => {
    expect(await talkOf(['one', ' ', 'two'])).toEqual({
      displayed: 'answer 1\nanswer 2\n',
      prompts: ['one', 'two'],
      left: [],
      length: 4,
    });
  });

  it('obeys commands, and asks what begins with two slashes', async () => {
    expect(await talkOf(['//etc?', '/retry', '/model', '/quit', 'never'])).toEqual({
      displayed: 'answer 1\nanswer 2\ntoy\n',
      prompts: ['/etc?', '/etc?'],
      left: ['never'],
      length: 2,
    });
  });

  it('tells in one line what went wrong, keeps nothing of it, and goes on', async () => {
    expect(await talkOf(['fail', '/nonsense', 'one'])).toEqual({
      displayed:
        'answer 1\n! conch: HTTP 500: no luck\n' +
        '! conch: /nonsense is not a command. Use /help for the commands, or // to begin a message with a slash.\nanswer 2\n',
      prompts: ['fail', 'one'],
      left: [],
      length: 2,
    });
  });

  it('stops a command that waits for the server, and goes on', async () => {
    const stopped = new AbortController();
    const models = async (signal: AbortSignal) => {
      stopped.abort();
      signal.throwIfAborted();
      return [];
    };
    expect((await talkOf(['/models', 'one'], { models, signal: stopped.signal })).displayed).toBe(
      '! conch: Stopped.\nanswer 1\n',
    );
  });

  it('prints how a response ended, and its statistics on request', async () => {
    expect((await talkOf(['long'], { showsStats: true })).displayed).toBe(
      'answer 1\n(stopped at the token limit: raise it with /set max_tokens N)\n' +
        '(no usage from the server, first after 1 ms)\n',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { coloursFor } from '../colours.ts';
import { ChatAnswer } from './answer.ts';
import { Conversation } from './conversation.ts';
import { ChatFault, type ChatServer } from './server.ts';
import { talk } from './talk.ts';

type Asked = Parameters<ChatServer['ask']>;

/** A server that answers a question with its number, and fails at one that says so. */
function counting() {
  const questions: string[] = [];
  const ask = async (...[body, { onPart }]: Asked) => {
    const { messages } = body as { messages: { content: string }[] };
    const question = messages.at(-1)?.content ?? '';
    questions.push(question);
    const answer = new ChatAnswer();
    const delta = { content: `answer ${questions.length}` };
    const reason = question === 'long' ? 'length' : 'stop';
    for (const part of answer.take(JSON.stringify({ choices: [{ delta, finish_reason: reason }] }))) onPart(part);
    if (question === 'fail') throw new ChatFault('HTTP 500: no luck');
    return { answer, timing: { toFirst: 1, fromFirst: 0 }, wasStopped: false };
  };
  return { ask, questions };
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
  const { ask, questions } = counting();
  const left = [...messages];
  let shown = '';
  const conversation = new Conversation('toy');
  await talk({
    conversation,
    server: { ask, ...more } as unknown as ChatServer,
    editor: {
      read: () => Promise.resolve(left.shift()),
      interruptible: (work) => work(signal),
    },
    write: (text) => (shown += text),
    say: (line) => (shown += `${line}\n`),
    err: (line) => (shown += `! ${line}\n`),
    colours: coloursFor(false),
    showsReasoning: true,
    showsStats,
  });
  return { shown, questions, left, length: conversation.length };
}

describe('talk', () => {
  it('responds to messages until there are no more', async () => {
    expect(await talkOf(['one', ' ', 'two'])).toEqual({
      shown: 'answer 1\nanswer 2\n',
      questions: ['one', 'two'],
      left: [],
      length: 4,
    });
  });

  it('obeys commands, and asks what begins with two slashes', async () => {
    expect(await talkOf(['//etc?', '/retry', '/model', '/quit', 'never'])).toEqual({
      shown: 'answer 1\nanswer 2\ntoy\n',
      questions: ['/etc?', '/etc?'],
      left: ['never'],
      length: 2,
    });
  });

  it('tells in one line what went wrong, keeps nothing of it, and goes on', async () => {
    expect(await talkOf(['fail', '/nonsense', 'one'])).toEqual({
      shown:
        'answer 1\n! conch: HTTP 500: no luck\n' +
        '! conch: /nonsense is not a command. Use /help for the commands, or // to begin a message with a slash.\nanswer 2\n',
      questions: ['fail', 'one'],
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
    expect((await talkOf(['/models', 'one'], { models, signal: stopped.signal })).shown).toBe(
      '! conch: Stopped.\nanswer 1\n',
    );
  });

  it('prints how a response ended, and its statistics on request', async () => {
    expect((await talkOf(['long'], { showsStats: true })).shown).toBe(
      'answer 1\n(stopped at the token limit: raise it with /set max_tokens N)\n' +
        '(no usage from the server, first after 1 ms)\n',
    );
  });
});

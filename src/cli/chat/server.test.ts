import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { targetOf } from '../../bench/target.ts';
import type { ResponsePart } from './chat-response.ts';
import { ChatError, ChatServer, ServerUnreachable } from './server.ts';

/** A chat with a server that answers like this. */
async function chatWith(
  respond: (request: IncomingMessage, response: ServerResponse) => void,
  headers?: Record<string, string>,
): Promise<ChatServer> {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const chat = chatAt((server.address() as AddressInfo).port, headers);
  onTestFinished(() => {
    chat.close();
    server.close();
    server.closeAllConnections();
  });
  return chat;
}

function chatAt(port: number, headers: Record<string, string> = { authorization: 'Bearer k' }): ChatServer {
  return new ChatServer(targetOf(`http://127.0.0.1:${port}/v1`, { headers }));
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const never = new AbortController().signal;
const text = (content: string, reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: reason }] })}\n\n`;
const usage = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } })}\n\n`;

function streamOf(...events: readonly string[]) {
  return (_: unknown, response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.join(''));
  };
}

async function ask(chat: ChatServer, signal = never) {
  const parts: ResponsePart[] = [];
  const completed = await chat.ask({ model: 'm' }, { signal, onPart: (part) => parts.push(part) });
  return { parts: parts.map((part) => part.text), completed };
}

describe('ChatServer.ask', () => {
  it('sends the request with its headers, and follows the stream', async () => {
    const seen: unknown[] = [];
    const chat = await chatWith((request, response) => {
      seen.push(request.method, request.url, request.headers.authorization);
      streamOf(text('A '), text('shell.', 'stop'), usage, 'data: [DONE]\n\n')(request, response);
    });
    const { parts, completed } = await ask(chat);
    expect(seen).toEqual(['POST', '/v1/chat/completions', 'Bearer k']);
    expect(parts).toEqual(['A ', 'shell.']);
    expect(completed).toMatchObject({ wasStopped: false, response: { text: 'A shell.' } });
    await ask(chat);
    expect(chat.total).toEqual({ prompt: 6, completion: 4 });
    expect(chat.last?.response.text).toBe('A shell.');
  });

  it('reads a response that is not streamed', async () => {
    const message = { role: 'assistant', content: 'A.' };
    const chat = await chatWith((_, response) =>
      json(response, 200, { choices: [{ index: 0, message, finish_reason: 'stop' }] }),
    );
    expect((await ask(chat)).parts).toEqual(['A.']);
  });

  it('keeps what came before it was stopped', async () => {
    const stop = new AbortController();
    const chat = await chatWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text('A '));
    });
    const requested = chat.ask({}, { signal: stop.signal, onPart: () => stop.abort() });
    expect(await requested).toMatchObject({ wasStopped: true, response: { text: 'A ' } });
  });

  it.each<[string, Parameters<typeof chatWith>[0], string]>([
    [
      'a refusal',
      (_, response) => json(response, 404, { error: { message: 'No such\nmodel.' } }),
      'HTTP 404: No such model.',
    ],
    ['a proxy', (_, response) => void response.writeHead(502).end('Bad gateway'), 'HTTP 502: Bad gateway'],
    ['an error in the stream', streamOf(text('A'), 'data: {"error":{"message":"Gone."}}\n\n'), 'Gone.'],
    ['a stream that breaks off', streamOf(text('A')), 'The stream ended before the response was complete.'],
  ])('says in one line what went wrong: %s', async (_, respond, words) => {
    await expect(ask(await chatWith(respond))).rejects.toThrow(new ChatError(words));
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['before the answer began', (response) => void response.destroy()],
    [
      'in the middle of it',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(text('A '), () => response.destroy());
      },
    ],
  ])('says that the connection broke off %s', async (_, breakOff) => {
    const chat = await chatWith((_request, response) => breakOff(response));
    const words = `The connection to ${chat.origin} closed before the response was complete: ECONNRESET.`;
    await expect(ask(chat)).rejects.toThrow(new ChatError(words));
  });

  it('says that a key is wrong', async () => {
    const chat = await chatWith((_, response) => json(response, 401, { error: { message: 'Wrong key.' } }));
    const words = `${chat.origin} rejected the API key (--api-key or CONCH_API_KEY): Wrong key.`;
    await expect(ask(chat)).rejects.toThrow(new ChatError(words));
    await expect(chat.models(never)).rejects.toThrow(new ChatError(words));
  });

  it('says that a key is missing', async () => {
    const refuse = (_: unknown, response: ServerResponse) => json(response, 401, { error: { message: 'No API key.' } });
    const chat = await chatWith(refuse, {});
    const words = `${chat.origin} needs an API key (--api-key or CONCH_API_KEY): No API key.`;
    await expect(ask(chat)).rejects.toThrow(new ChatError(words));
    await expect(chat.models(new AbortController().signal)).rejects.toThrow(new ChatError(words));
  });

  it('says that there is no server', async () => {
    const chat = chatAt(1);
    const words = 'http://127.0.0.1:1 is unreachable: ECONNREFUSED.';
    await expect(ask(chat)).rejects.toThrow(new ServerUnreachable(words));
    await expect(chat.models(never)).rejects.toThrow(new ServerUnreachable(words));
  });
});

describe('ChatServer.models', () => {
  it('are those that generate text, and first those that can chat', async () => {
    const base = { id: 'base', contract: 'vllm', capabilities: { completion: true, chat: false } };
    const tuned = { id: 'tuned', contract: 'vllm', capabilities: { completion: true, chat: true } };
    const others = ['embedding', 'rerank', 'classify'].map((contract) => ({ id: contract, contract }));
    const data = [base, tuned, ...others, { id: 'toy' }, {}];
    const chat = await chatWith((_, response) => json(response, 200, { object: 'list', data }));
    expect(await chat.models(never)).toEqual(['tuned', 'toy', 'base']);
  });

  it('are no longer waited for when that is stopped', async () => {
    const stop = new AbortController();
    const chat = await chatWith(() => stop.abort());
    await expect(chat.models(stop.signal)).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('are unknown where the server does not say', async () => {
    const chat = await chatWith((_, response) => json(response, 404, { detail: 'Not Found' }));
    expect(await chat.models(never)).toBe(undefined);
  });
});

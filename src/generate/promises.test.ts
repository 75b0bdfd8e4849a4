import { createHook } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { scriptedModel, templateOf } from '../../test/support/scripted-model.ts';
import type { ChatRequest } from '../requests/chat-request.ts';
import type { CompletionRequest } from '../requests/completion-request.ts';
import { chat } from './chat.ts';
import { complete } from './completion.ts';
import type { GeneratedResponse } from './generated-response.ts';
import { runInto } from './run-into.ts';

type Begin = (context: ReturnType<ReturnType<typeof scriptedModel>['context']>) => Promise<GeneratedResponse>;

const { signal } = new AbortController();
const messages = [{ role: 'user', content: 'Hello' }];
const thinking = { template: templateOf('<think></think>{{ messages[0].content }}'), eosTokenIds: [] };

/** How many promises are made between a call and the inference that its server is sent, once all is loaded. */
async function promisesBeforeInference(begin: Begin, parts?: Parameters<typeof scriptedModel>[1]): Promise<number> {
  let promises = 0;
  let before = 0;
  const hook = createHook({ init: (_, type) => void (type === 'PROMISE' && promises++) });
  const { context } = scriptedModel(() => {
    before = promises;
    return { tokens: ['Hi'] };
  }, parts);
  const value = context();
  const send = async (): Promise<void> => {
    const { generation } = await begin(value);
    await runInto(generation, { text: () => undefined, event: () => undefined });
  };
  await send();
  hook.enable();
  promises = 0;
  await send();
  hook.disable();
  return before;
}

const chatOf = (request: Partial<ChatRequest>): Begin => {
  const body = { model: 'm', messages, ...request } as ChatRequest;
  return (context) => chat(body, context, signal);
};

const completionOf = (request: Partial<CompletionRequest>): Begin => {
  const body = { model: 'm', prompt: 'Hello', ...request };
  return (context) => complete(body, context, signal);
};

// Two are those of the caller here, one is that of the call, three those that wait for the whole: nothing else is waited for.
it.each<[string, Begin, Parameters<typeof scriptedModel>[1]?]>([
  ['a streamed chat', chatOf({ stream: true })],
  ['a chat', chatOf({})],
  ['a chat whose reasoning is told from its text', chatOf({ stream: true }), { assets: thinking }],
  ['a guided chat', chatOf({ stream: true, guided_choice: ['a', 'b'] })],
  ['a completion', completionOf({})],
])('%s is sent to its server without waiting', async (_, begin, parts) => {
  expect(await promisesBeforeInference(begin, parts)).toBeLessThanOrEqual(6);
});

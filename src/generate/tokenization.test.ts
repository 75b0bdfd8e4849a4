import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../../test/support/scripted-model.ts';
import { bos, scriptedTokens } from '../../test/support/scripted-tokens.ts';
import { ChatRequest } from '../requests/chat-request.ts';
import { CompletionRequest } from '../requests/completion-request.ts';
import { parseRequest } from '../requests/fields.ts';
import { chat } from './chat.ts';
import { complete } from './completion.ts';
import { runInto } from './run-into.ts';

type Json = Record<string, unknown>;
type Parts = Parameters<typeof scriptedTokens>[1];

const script = { responses: ['x'], reason: 'length' as const };
const newSignal = () => new AbortController().signal;

/** The tokens of the prompts that a completion sends, and its text. */
async function completed(body: Json, parts: Parts = {}) {
  const scripted = scriptedTokens(script, parts);
  const { request } = parseRequest(CompletionRequest, { model: 'm', prompt: 'abcd', max_tokens: 1, ...body });
  const { generation } = await complete(request, scripted.context(), newSignal());
  let text = '';
  await runInto(generation, { text: (_, more) => (text += more), event: () => undefined });
  return { text, sent: scripted.sent.map(({ ids }) => ids) };
}

async function chatted(body: Json, parts: Parts = {}) {
  const scripted = scriptedTokens(script, parts);
  const messages = [{ role: 'user', content: 'abcd' }];
  const { request } = parseRequest(ChatRequest, { model: 'm', messages, max_tokens: 1, ...body });
  const { generation } = await chat(request, scripted.context(), newSignal());
  await runInto(generation, { text: () => undefined, event: () => undefined });
  return scripted.sent.map(({ ids }) => ids);
}

const [a, b, c, d] = [97, 98, 99, 100];

describe('truncate_prompt_tokens', () => {
  it.each([
    [{ truncate_prompt_tokens: 2 }, [c, d]],
    [{ truncate_prompt_tokens: 2, truncation_side: 'left' }, [c, d]],
    [{ truncate_prompt_tokens: 2, truncation_side: 'right' }, [bos, a]],
    [{ truncate_prompt_tokens: 5 }, [bos, a, b, c, d]],
    [{ truncation_side: 'right' }, [bos, a, b, c, d]],
    [{ truncate_prompt_tokens: 2, prompt: [a, b, c] }, [b, c]],
  ])('%j leaves %j of a prompt', async (body, ids) => {
    expect((await completed(body)).sent).toEqual([ids]);
  });

  it('applies to chats', async () => {
    expect(await chatted({ truncate_prompt_tokens: 3 })).toEqual([[b, c, d]]);
  });

  it('of -1 leaves what the context length allows beside the response', async () => {
    const parts = { contextLength: () => 5 };
    expect((await completed({ truncate_prompt_tokens: -1, max_tokens: 2 }, parts)).sent).toEqual([[b, c, d]]);
    expect((await completed({ truncate_prompt_tokens: -1, max_tokens: null }, parts)).sent).toEqual([[a, b, c, d]]);
    expect((await completed({ truncate_prompt_tokens: -1, max_tokens: 9 }, parts)).sent).toEqual([[d]]);
  });

  it('of -1 needs a known context length', async () => {
    await expect(completed({ truncate_prompt_tokens: -1 })).rejects.toMatchObject({ param: 'truncate_prompt_tokens' });
  });

  it('echoes what is left', async () => {
    const { text, sent } = await completed({ truncate_prompt_tokens: 2, echo: true, prompt: ['abcd', 'x'] });
    expect([text, sent]).toEqual([
      'cdxxx',
      [
        [c, d],
        [bos, 120],
      ],
    ]);
  });

  it.each([0, -2, 1.5, '5'])('cannot be %j', async (value) => {
    await expect(completed({ truncate_prompt_tokens: value })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'truncate_prompt_tokens',
    });
  });

  it('cannot cut a prompt with images', async () => {
    const url = `data:image/png;base64,${Buffer.from('x').toString('base64')}`;
    const content = [
      { type: 'text', text: 'a' },
      { type: 'image_url', image_url: { url } },
    ];
    const body = { messages: [{ role: 'user', content }], truncate_prompt_tokens: 1 };
    await expect(chatted(body)).rejects.toMatchObject({ param: 'truncate_prompt_tokens' });
  });
});

describe('add_special_tokens', () => {
  it.each([
    [undefined, [bos, a, b, c, d]],
    [true, [bos, a, b, c, d]],
    [false, [a, b, c, d]],
  ])('of %j in a completion sends %j', async (adds, ids) => {
    expect((await completed({ add_special_tokens: adds })).sent).toEqual([ids]);
  });

  it.each([
    // The template writes BOS as text, which this tokenizer reads as three characters.
    [undefined, [bos, a, b, c, d]],
    [false, [...Buffer.from('<s>'), a, b, c, d]],
    [true, [bos, ...Buffer.from('<s>'), a, b, c, d]],
  ])('of %j in a chat sends %j', async (adds, ids) => {
    expect(await chatted({ add_special_tokens: adds })).toEqual([ids]);
  });

  it('is refused where the server tokenizes, unless it says what the server does', async () => {
    const ask = async (schema: 'chat' | 'completion', adds: boolean): Promise<unknown> => {
      const context = scriptedModel([{ tokens: ['x'] }]).context();
      const body = { model: 'm', add_special_tokens: adds };
      return schema === 'chat'
        ? chat(
            parseRequest(ChatRequest, { ...body, messages: [{ role: 'user', content: 'x' }] }).request,
            context,
            newSignal(),
          )
        : complete(parseRequest(CompletionRequest, { ...body, prompt: 'x' }).request, context, newSignal());
    };
    const refusal = { code: 'unsupported_parameter', param: 'add_special_tokens' };
    await expect(ask('chat', true)).rejects.toMatchObject(refusal);
    await expect(ask('completion', false)).rejects.toMatchObject(refusal);
    await expect(ask('chat', false)).resolves.toBeDefined();
    await expect(ask('completion', true)).resolves.toBeDefined();
  });
});

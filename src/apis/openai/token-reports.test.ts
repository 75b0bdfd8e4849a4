import { describe, expect, it } from 'vitest';
import { bos, eos, scriptedTokens, type TokenScript } from '../../../test/support/scripted-tokens.ts';
import type { GenerateEvent } from '../../contracts/events.ts';
import { chat } from '../../generate/chat.ts';
import { complete } from '../../generate/completion.ts';
import type { GeneratedResponse } from '../../generate/generated-response.ts';
import { runInto } from '../../generate/run-into.ts';
import { ChatRequest } from '../../requests/chat-request.ts';
import { CompletionRequest } from '../../requests/completion-request.ts';
import { parseRequest } from '../../requests/fields.ts';
import { ChunkWriter } from './chunks.ts';
import { collect } from './collect.ts';
import { type ApiShape, chatShape, completionShape } from './shapes.ts';

type Json = Record<string, unknown>;
const newSignal = () => new AbortController().signal;

/** A whole response, and what the model was sent. */
async function completed(script: Parameters<typeof scriptedTokens>[0], body: Json) {
  const scripted = scriptedTokens(script);
  const { request } = parseRequest(CompletionRequest, { model: 'm', prompt: 'ab', ...body });
  const { generation, options } = await complete(request, scripted.context(), newSignal());
  const response = await collect(generation, completionShape, options);
  return { choices: response['choices'] as Json[], usage: response['usage'], response, sent: scripted.sent };
}

async function chatted(script: TokenScript, body: Json) {
  const scripted = scriptedTokens(script);
  const { request } = parseRequest(ChatRequest, { model: 'm', messages: [{ role: 'user', content: 'ab' }], ...body });
  const { generation, options } = await chat(request, scripted.context(), newSignal());
  return { response: await collect(generation, chatShape, options), sent: scripted.sent };
}

/** The chunks of a stream: it begins with its first text. */
async function chunks({ generation, options }: GeneratedResponse, shape: ApiShape): Promise<Json[]> {
  const writer = new ChunkWriter(shape, options);
  let first: GenerateEvent[] | undefined = [];
  let written = '';
  await runInto(generation, {
    text: (choice, text, tokens, logprobs) => {
      if (first) written += writer.begin([...first, { type: 'text-delta', choice, text, tokens, logprobs }]);
      else written += writer.delta(choice, text, tokens, logprobs);
      first = undefined;
    },
    event: (event) => {
      if (first) first.push(event);
      else written += writer.write(event);
    },
  });
  const lines = written.split('\n\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line.slice('data: '.length)) as Json);
}

const z = { logprob: -0.5, rank: 1, decoded_token: 'z' };

describe('prompt_logprobs', () => {
  const expected = (letter: string) => ({
    [letter.charCodeAt(0)]: { logprob: -1, rank: 2, decoded_token: letter },
    '122': z,
  });

  it('are in the first choice of a completion, as vLLM writes them', async () => {
    const { choices, sent } = await completed({ responses: ['c'], reason: 'length' }, { prompt_logprobs: 1, n: 2 });
    const choice = { text: 'c', logprobs: null, finish_reason: 'length' };
    expect(choices).toEqual([
      { ...choice, index: 0, prompt_logprobs: [null, expected('a'), expected('b')] },
      { ...choice, index: 1 },
    ]);
    expect(sent.map(({ ids, parameters }) => [ids, parameters['prompt_logprobs']])).toEqual([
      [[bos, 97, 98], 1],
      [[bos, 97, 98], undefined],
    ]);
  });

  it.each([
    [{ prompt_logprobs: 20 }, 'prompt_logprobs'],
    [{ echo: true, logprobs: 20 }, 'logprobs'],
  ])('of a prompt that is too long for %j are refused', async (fields, param) => {
    const body = { prompt: 'a'.repeat(7000), ...fields };
    await expect(completed({ responses: ['c'] }, body)).rejects.toMatchObject({
      code: 'invalid_request',
      message: `${param}: too large for a prompt of 7001 tokens. Reduce it to at most 17, or shorten the prompt.`,
      param,
    });
  });

  it('are a member of a chat completion', async () => {
    const { response } = await chatted({ responses: ['c'] }, { prompt_logprobs: 0, n: 2 });
    const own = (letter: string) => ({
      [letter.charCodeAt(0)]: { logprob: -1, rank: 2, decoded_token: letter },
    });
    expect(response['prompt_logprobs']).toEqual([null, own('a'), own('b')]);
    expect((response['choices'] as Json[]).some((choice) => 'prompt_logprobs' in choice)).toBe(false);
  });

  it('cannot be streamed', async () => {
    await expect(completed({ responses: ['c'] }, { prompt_logprobs: 1, stream: true })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'prompt_logprobs',
    });
  });
});

describe('echo with logprobs', () => {
  it('has the tokens of the prompt before those of the response', async () => {
    const { choices, usage } = await completed(
      { responses: ['cd'], reason: 'length' },
      { echo: true, logprobs: 1, max_tokens: 2 },
    );
    expect(choices).toEqual([
      {
        index: 0,
        text: 'abcd',
        finish_reason: 'length',
        logprobs: {
          tokens: ['<s>', 'a', 'b', 'c', 'd'],
          token_logprobs: [null, -1, -1, -1, -1],
          top_logprobs: [null, { a: -1, z: -0.5 }, { b: -1, z: -0.5 }, { c: -1, z: -0.5 }, { d: -1, z: -0.5 }],
          // The tokenizer added BOS, which is no part of the text.
          text_offset: [0, 0, 1, 2, 3],
        },
      },
    ]);
    expect(usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 2 });
  });

  it('has EOS if the model ends at once, so that scoring clients find a token after the prompt', async () => {
    const { choices } = await completed({ responses: [[eos]] }, { echo: true, logprobs: 0, max_tokens: 1 });
    expect(choices[0]).toMatchObject({
      text: 'ab',
      finish_reason: 'stop',
      logprobs: { tokens: ['<s>', 'a', 'b', '</s>'], token_logprobs: [null, -1, -1, -1] },
    });
  });

  it('has only the prompt with max_tokens 0: the token that the engine generates is dropped', async () => {
    const { choices, usage, sent } = await completed(
      { responses: ['x'], reason: 'length' },
      { prompt: [97, 98], echo: true, logprobs: 0, max_tokens: 0, n: 2 },
    );
    expect(sent.map(({ parameters }) => [parameters['max_tokens'], parameters['prompt_logprobs']])).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect(choices).toEqual(
      [0, 1].map((index) => ({
        index,
        text: 'ab',
        finish_reason: 'length',
        logprobs: {
          tokens: ['a', 'b'],
          token_logprobs: [null, -1],
          top_logprobs: [null, { b: -1 }],
          text_offset: [0, 1],
        },
      })),
    );
    expect(usage).toMatchObject({ prompt_tokens: 2, completion_tokens: 0 });
  });

  it('does not rank candidates by their prompt', async () => {
    const { choices } = await completed(
      (_, number) => ({ responses: [number === 0 ? 'xx' : 'cd'], reason: 'length' }),
      { echo: true, logprobs: 0, best_of: 2, max_tokens: 2 },
    );
    expect(choices).toMatchObject([{ text: 'abcd', logprobs: { token_logprobs: [null, -1, -1, -1, -1] } }]);
  });

  it('requests the larger number of alternatives, and returns each as requested', async () => {
    const body = { echo: true, logprobs: 2, prompt_logprobs: 1, max_tokens: 1 };
    const { choices, sent } = await completed({ responses: ['c'], reason: 'length' }, body);
    expect(sent[0]?.parameters).toMatchObject({ logprobs: 2, prompt_logprobs: 2 });
    expect(choices[0]?.['prompt_logprobs']).toEqual([
      null,
      { '97': { logprob: -1, rank: 2, decoded_token: 'a' }, '122': z },
      { '98': { logprob: -1, rank: 2, decoded_token: 'b' }, '122': z },
    ]);
  });

  it('streams the prompt in its first chunk', async () => {
    const scripted = scriptedTokens({ responses: ['c'], reason: 'length' });
    const body = { model: 'm', prompt: 'ab', echo: true, logprobs: 0, stream: true };
    const { request } = parseRequest(CompletionRequest, body);
    const events = await chunks(await complete(request, scripted.context(), newSignal()), completionShape);
    expect(events.flatMap(({ choices }) => choices)).toMatchObject([
      { text: 'ab', logprobs: { tokens: ['<s>', 'a', 'b'], text_offset: [0, 0, 1] } },
      { text: 'c', logprobs: { tokens: ['c'], text_offset: [2] } },
      { text: '', finish_reason: 'length' },
    ]);
  });
});

describe('return_token_ids', () => {
  it('are in each choice of a completion, with the token that ended it', async () => {
    const { choices } = await completed(
      { responses: ['c', [100, eos]] },
      { prompt: ['ab', 'x'], return_token_ids: true },
    );
    expect(choices).toEqual([
      {
        index: 0,
        text: 'cd',
        logprobs: null,
        finish_reason: 'stop',
        prompt_token_ids: [bos, 97, 98],
        token_ids: [99, 100, eos],
      },
      {
        index: 1,
        text: 'cd',
        logprobs: null,
        finish_reason: 'stop',
        prompt_token_ids: [bos, 120],
        token_ids: [99, 100, eos],
      },
    ]);
  });

  it('are in the choices of a chat completion, which has the prompt', async () => {
    const { response } = await chatted({ responses: ['c'], reason: 'length' }, { return_token_ids: true, n: 2 });
    expect(response).toMatchObject({
      prompt_token_ids: [bos, 97, 98],
      choices: [{ token_ids: [99] }, { token_ids: [99] }],
    });
    expect((response['choices'] as Json[])[0]).not.toHaveProperty('prompt_token_ids');
  });

  it('have the tokens of a stop sequence that is cut off', async () => {
    const { choices } = await completed(
      { responses: ['cENDx'], stopString: 'END' },
      { return_token_ids: true, stop: 'END' },
    );
    expect(choices).toMatchObject([{ text: 'c', token_ids: [...Buffer.from('cEND')] }]);
  });

  it('are absent if they are not requested', async () => {
    const { response } = await completed({ responses: ['c'] }, { return_token_ids: false });
    expect(JSON.stringify(response)).not.toContain('token_ids');
  });

  it('has those of a prompt that nothing is generated for', async () => {
    const { choices, sent } = await completed({ responses: [] }, { echo: true, max_tokens: 0, return_token_ids: true });
    expect([choices, sent]).toMatchObject([
      [{ text: 'ab', prompt_token_ids: [bos, 97, 98], token_ids: [], finish_reason: 'length' }],
      [],
    ]);
  });

  it('stream with the text of their tokens, the prompt with the first chunk', async () => {
    const script = { responses: ['c', 'de', [eos]] };
    const { request } = parseRequest(CompletionRequest, {
      model: 'm',
      prompt: 'ab',
      return_token_ids: true,
      stream: true,
    });
    const streamed = await complete(request, scriptedTokens(script).context(), newSignal());
    const completion = await chunks(streamed, completionShape);
    const common = { index: 0, logprobs: null, finish_reason: null };
    expect(completion.flatMap(({ choices }) => choices)).toEqual([
      { ...common, text: 'c', prompt_token_ids: [bos, 97, 98], token_ids: [99] },
      { ...common, text: 'de', token_ids: [100, 101] },
      { ...common, text: '', finish_reason: 'stop', token_ids: [eos] },
    ]);
    const body = { model: 'm', messages: [{ role: 'user', content: 'ab' }], return_token_ids: true, stream: true };
    const chatRequest = parseRequest(ChatRequest, body).request;
    const chatChunks = await chunks(await chat(chatRequest, scriptedTokens(script).context(), newSignal()), chatShape);
    expect(chatChunks.map(({ choices, prompt_token_ids: prompt }) => [prompt, choices])).toMatchObject([
      [[bos, 97, 98], [{ delta: { role: 'assistant' }, token_ids: [] }]],
      [undefined, [{ delta: { content: 'c' }, token_ids: [99] }]],
      [undefined, [{ delta: { content: 'de' }, token_ids: [100, 101] }]],
      [undefined, [{ finish_reason: 'stop', token_ids: [eos] }]],
    ]);
  });
});

describe('stream_interval', () => {
  const script = { responses: ['abc', 'd'], reason: 'length' as const };
  const streamed = async (body: Json): Promise<unknown[]> => {
    const { request } = parseRequest(CompletionRequest, { model: 'm', prompt: 'x', stream: true, ...body });
    const written = await chunks(
      await complete(request, scriptedTokens(script).context(), newSignal()),
      completionShape,
    );
    return written.flatMap(({ choices }) => choices as Json[]).map(({ text }) => text);
  };

  it('of 1 makes a chunk of every token that a response has', async () => {
    expect(await streamed({ stream_interval: 1 })).toEqual(['a', 'b', 'c', 'd', '']);
  });

  it('that is left out leaves the tokens of a response together', async () => {
    expect(await streamed({})).toEqual(['abc', 'd', '']);
  });
});

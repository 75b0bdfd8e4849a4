import { describe, expect, it } from 'vitest';
import { folded, outcomeOf, type Script, scriptedModel } from '../../test/support/scripted-model.ts';
import type { CompletionRequest } from '../requests/completion-request.ts';
import type { Tokenizer } from '../tokenizer.ts';
import { complete } from './completion.ts';
import type { GenerateContext } from './generated-response.ts';

interface Requested extends Partial<CompletionRequest> {
  readonly context?: Partial<GenerateContext>;
  readonly served?: Parameters<typeof scriptedModel>[1];
}

/** A tokenizer whose tokens are characters. */
const tokenizer = {
  source: 'test',
  ownBos: undefined,
  vocabularySize: 128,
  encode: async (text: string) => Int32Array.from(Buffer.from(text)),
  count: async (text: string) => text.length,
  decode: async (ids: ArrayLike<number>) => String.fromCharCode(...Array.from(ids)),
  unknownIds: async (ids: ArrayLike<number>) => Array.from(ids).filter((id) => id >= 128),
  spellings: async () => [],
} as unknown as Tokenizer;
const withTokenizer = { assets: { tokenizer, eosTokenIds: [] } };

async function ask(scripts: readonly [Script, ...Script[]], { context, served, ...request }: Requested = {}) {
  const scripted = scriptedModel(scripts, served);
  const body = { model: 'm', prompt: 'Once', ...request };
  const { generation, ...response } = await complete(body, scripted.context(context), new AbortController().signal);
  return { ...response, ...(await outcomeOf(generation)), sent: scripted.sent };
}

const plain = (text: string, finish = 'stop') => ({ text, reasoning: '', calls: [], finish });
const scored = (text: string, logprob: number): Script => ({ tokens: [{ text, logprob }] });

describe('a completion', () => {
  it('is sent its prompt as it is', async () => {
    const { events, sent, options } = await ask([{ tokens: ['a', 'b'], end: 'length' }], { max_tokens: 2 });
    expect(folded(events)).toEqual([plain('ab', 'length')]);
    expect(events.at(-1)).toEqual({ type: 'usage', promptTokens: 5, completionTokens: 2 });
    expect(sent).toEqual([
      {
        id: options.head.id,
        prompt: 'Once',
        parameters: { max_tokens: 2 },
        isStreamed: false,
        outputs: ['text_output', 'finish_reason', 'num_input_tokens', 'num_output_tokens'],
        isCancelled: false,
      },
    ]);
  });

  it('has n choices for each prompt', async () => {
    const words = (_: unknown, at: number): Script => ({ tokens: [`${at}`] });
    const scripted = scriptedModel(words);
    const body = { model: 'm', prompt: ['a', 'b'], n: 2, stream: true } as CompletionRequest;
    const { generation, options } = await complete(body, scripted.context(), new AbortController().signal);
    const outcome = await outcomeOf(generation);
    expect(folded(outcome.events)).toEqual(['0', '1', '2', '3'].map((text) => plain(text)));
    expect(outcome.events.at(-1)).toEqual({ type: 'usage', promptTokens: 10, completionTokens: 4 });
    expect(scripted.sent.map(({ prompt }) => prompt)).toEqual(['a', 'a', 'b', 'b']);
    expect(options.choices).toBe(4);
  });

  it('gives the likeliest of its candidates, and counts them all', async () => {
    const { events, sent } = await ask([scored('a', -2), scored('b', -1), scored('c', -3)], { best_of: 3, n: 2 });
    expect(folded(events)).toEqual([plain('b'), plain('a')]);
    expect(events.at(-1)).toEqual({ type: 'usage', promptTokens: 5, completionTokens: 3 });
    expect(sent.map(({ parameters }) => parameters['logprobs'])).toEqual([0, 0, 0]);
    expect(events.some((event) => event.type === 'text-delta' && event.logprobs)).toBe(false);
  });

  it('returns the logprobs of the likeliest if requested', async () => {
    const { events } = await ask([scored('a', -2), scored('b', -1)], { best_of: 2, logprobs: 1 });
    expect(events.filter(({ type }) => type === 'text-delta')).toMatchObject([
      { text: 'b', logprobs: [{ logprob: -1 }] },
    ]);
  });

  it('echoes its prompt before its text', async () => {
    expect(folded((await ask([{ tokens: [' upon'] }], { echo: true })).events)).toEqual([plain('Once upon')]);
  });

  it('is its prompt where nothing is to be generated', async () => {
    const requested = { echo: true, max_tokens: 0, prompt: ['Once', 'a'], n: 2 };
    const { events, sent } = await ask([{ tokens: [] }], { ...requested, served: withTokenizer });
    expect(folded(events)).toEqual(['Once', 'Once', 'a', 'a'].map((text) => plain(text, 'length')));
    expect({ usage: events.at(-1), sent }).toEqual({
      usage: { type: 'usage', promptTokens: 5, completionTokens: 0 },
      sent: [],
    });
  });

  it('takes token ids, whose text is sent where the backend takes text', async () => {
    const { sent } = await ask([{ tokens: ['a'] }], { prompt: [79, 107], served: withTokenizer });
    expect(sent.map(({ prompt }) => prompt)).toEqual(['Ok']);
    await expect(ask([{ tokens: ['a'] }], { prompt: [79, 200], served: withTokenizer })).rejects.toMatchObject({
      message: "prompt: not in this model's vocabulary of 128 tokens: 200.",
    });
  });

  it('waits for its tokenizer only where it needs one', async () => {
    const served = { ...withTokenizer, isLoaded: false };
    const unneeded = scriptedModel([{ tokens: ['a'] }], served);
    const body = { model: 'm', prompt: 'Once' } as CompletionRequest;
    await complete(body, unneeded.context(), new AbortController().signal);
    expect(unneeded.model.loadedAssets()).toBeUndefined();
    const { sent } = await ask([{ tokens: ['a'] }], { prompt: [79, 107], served });
    expect(sent.map(({ prompt }) => prompt)).toEqual(['Ok']);
  });
});

describe('a completion with a structure', () => {
  // The guide of a bound on what an object holds is not exact.
  const schema = { type: 'object', properties: { a: { type: 'integer' } }, minProperties: 1 };
  const expected = { guided_json: schema, best_of: 2 };

  it('of several candidates is checked as it arrives, and not retried', async () => {
    const { events, error, sent, structuredHeader } = await ask([scored('{"a":1}', -1), scored('{}', -2)], expected);
    expect([folded(events), error]).toEqual([[plain('{"a":1}')], undefined]);
    expect([sent.length, structuredHeader]).toEqual([2, 'guided; tries=1']);
    const wrong = await ask([scored('{}', -1), scored('{"a":1}', -2)], expected);
    expect([wrong.sent.length, wrong.error]).toEqual([2, 'structured_output_invalid']);
  });
});

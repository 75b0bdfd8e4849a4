import { describe, expect, it } from 'vitest';
import { roundOf, runOf } from '../../test/support/run-fixtures.ts';
import { folded, outcomeOf, type Script, scriptedModel, vllmConfig } from '../../test/support/scripted-model.ts';
import { vllmContract } from '../contracts/vllm.ts';
import type { Tokenizer } from '../tokenizer.ts';
import { generate } from './generation.ts';
import type { GenerationPlan, Round } from './plan.ts';

interface Requested {
  readonly served?: Parameters<typeof scriptedModel>[1];
  readonly plan?: Partial<Omit<GenerationPlan, 'model' | 'strategy'>>;
  readonly round?: Partial<Round>;
}

async function run(script: Script, { served, plan = {}, round }: Requested = {}) {
  const { model, sent } = scriptedModel([script], served);
  const outcome = await outcomeOf(await generate(runOf(model, { plan }), roundOf(round)));
  return { ...outcome, sent };
}

const contract = vllmContract(vllmConfig);
const tokenizer = { vocabularySize: 9, count: async (text: string) => text.length } as unknown as Tokenizer;
const uncounted = { contract: { ...contract, counts: false }, assets: { tokenizer, eosTokenIds: [] } };

describe('a round', () => {
  it('names each of its inferences', async () => {
    const prompts = [{ text: 'a' }, { text: 'b' }];
    const { sent, events } = await run({ tokens: ['x'] }, { round: { prompts, prefixes: ['a'], choicesPerPrompt: 2 } });
    expect(sent.map(({ id, prompt }) => [id, prompt])).toEqual([
      ['request-0', 'a'],
      ['request-1', 'a'],
      ['request-2', 'b'],
      ['request-3', 'b'],
    ]);
    expect(folded(events).map(({ text }) => text)).toEqual(['ax', 'ax', 'x', 'x']);
  });

  it('asks for as many tokens as the context has room for, where its prompt was counted', async () => {
    const served = { ...uncounted, contextLength: () => 20 };
    const limits = [undefined, 3, 99].map(async (maxTokens) => {
      const sampling = maxTokens === undefined ? {} : { maxTokens };
      const { sent } = await run({ tokens: ['x'] }, { served, round: { sampling } });
      return sent[0]?.parameters['max_tokens'];
    });
    expect(await Promise.all(limits)).toEqual([15, 3, 15]);
  });

  it('refuses a prompt that fills the context before anything is sent', async () => {
    const served = { ...uncounted, contextLength: () => 5 };
    await expect(run({ tokens: [] }, { served })).rejects.toMatchObject({
      code: 'context_length_exceeded',
      param: 'prompt',
      message: "This model's maximum context length is 5 tokens. The prompt has 5. Shorten it.",
    });
  });

  it('has the context length that is set, although the backend counts its own tokens', async () => {
    const ours = { ...tokenizer, count: async () => 6 } as unknown as Tokenizer;
    const served = { assets: { tokenizer: ours, eosTokenIds: [] }, contextLength: () => 20, enforcesContext: true };
    const { sent, events } = await run({ tokens: ['x'] }, { served });
    expect(sent[0]?.parameters['max_tokens']).toBe(14);
    expect(events).toContainEqual({ type: 'prompt-tokens', count: 5 });
    await expect(run({ tokens: [] }, { served: { ...served, contextLength: () => 6 } })).rejects.toMatchObject({
      code: 'context_length_exceeded',
      message: "This model's maximum context length is 6 tokens. The prompt has 6. Shorten it.",
    });
    const loose = await run({ tokens: ['x'] }, { served: { ...served, enforcesContext: false } });
    expect(loose.sent[0]?.parameters['max_tokens']).toBe(20);
  });

  it('draws a seed for a backend that repeats itself', async () => {
    const served = { contract: { ...contract, repeatsItself: true } };
    const { sent } = await run({ tokens: ['x'] }, { served, round: { choicesPerPrompt: 2 } });
    const [one, other] = sent.map(({ parameters }) => parameters['seed']);
    expect([typeof one, typeof other, one === other]).toEqual(['number', 'number', false]);
    const greedy = await run({ tokens: ['x'] }, { served, round: { sampling: { temperature: 0 } } });
    expect(greedy.sent[0]?.parameters['seed']).toBeUndefined();
  });

  it('cuts at stop sequences where the backend does not, which is read as it comes', async () => {
    const served = { contract: { ...contract, cutsStopTexts: false } };
    const { events, sent } = await run(
      { tokens: ['one E', 'ND', ' two'] },
      { served, round: { sampling: { stop: ['END'] }, stream: false } },
    );
    expect(folded(events)).toEqual([{ text: 'one ', reasoning: '', calls: [], finish: 'stop' }]);
    expect([sent[0]?.isStreamed, sent[0]?.isCancelled]).toEqual([true, true]);
  });

  it('takes no notice of stop sequences before its least tokens where the backend does that', async () => {
    const plan = { tellsStop: true };
    const sampling = { stop: ['END'], minTokens: 3 };
    const { sent } = await run({ tokens: ['x'] }, { plan, round: { sampling } });
    expect(sent[0]?.parameters).toEqual({ max_tokens: expect.any(Number), min_tokens: 3, stop: ['END'] });
  });

  it('names the bytes of tokens only where its tokenizer can', async () => {
    const table = () => Promise.reject(new Error('no table'));
    const served = { assets: { tokenizer: { ...tokenizer, table }, eosTokenIds: [] } };
    const { events } = await run({ tokens: [{ text: 'a', logprob: -1 }] }, { served, round: { logprobs: 0 } });
    expect(events).toContainEqual(
      expect.objectContaining({ text: 'a', logprobs: [{ id: 0, text: 'a', logprob: -1, top: [] }] }),
    );
  });
});

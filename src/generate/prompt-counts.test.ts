import { describe, expect, it } from 'vitest';
import { roundOf, runOf } from '../../test/support/run-fixtures.ts';
import { outcomeOf, type Script, scriptedModel, vllmConfig } from '../../test/support/scripted-model.ts';
import { vllmContract } from '../contracts/vllm.ts';
import type { ServedModel } from '../models/served-model.ts';
import { countingRecorder } from '../request-watch.ts';
import type { Tokenizer } from '../tokenizer.ts';
import { generate } from './generation.ts';
import type { Round } from './plan.ts';

/** The scripted backend finds 5 tokens in every prompt; this tokenizer finds as many as the text has characters. */
const lengthOf: Tokenizer['count'] = async (text) => text.length;
const script: Script = { tokens: ['x', '', 'y'] };

interface Parts {
  readonly count?: Tokenizer['count'];
  readonly model?: Partial<Omit<ServedModel, 'assets' | 'loadedAssets'>>;
  readonly needsCounts?: boolean;
}

/** A model whose streams show no usage, and what each of them requested and recorded. */
function streams({ count = lengthOf, model: parts = {}, needsCounts = false }: Parts = {}) {
  const tokenizer = { vocabularySize: 9, count } as unknown as Tokenizer;
  const { model, sent } = scriptedModel([script], { assets: { tokenizer, eosTokenIds: [] }, ...parts });
  const stream = async (round: Partial<Round> = {}) => {
    const watch = countingRecorder({ method: 'POST', path: '/', route: '/', headers: {} });
    const at = sent.length;
    const { error } = await outcomeOf(await generate(runOf(model, { plan: { needsCounts }, watch }), roundOf(round)));
    const outputs = sent.slice(at).map(({ outputs: expected }) => expected.includes('num_input_tokens'));
    return { asks: outputs, recorded: watch.tokens(), error };
  };
  const times = async (number: number) => {
    let asks = 0;
    for (let time = 0; time < number; time++) asks += (await stream()).asks[0] ? 1 : 0;
    return asks;
  };
  return { stream, times, sent };
}

const recorded = { prompt: 5, completion: 3 };

describe('the prompts of streams that show no usage', () => {
  it('are counted by both until both have agreed sixteen times, then here', async () => {
    const { stream, times } = streams();
    expect(await times(15)).toBe(15);
    expect(await stream()).toEqual({ asks: [true], recorded, error: undefined });
    expect(await stream()).toEqual({ asks: [false], recorded, error: undefined });
  });

  it('are counted by both once in sixty-four times from then on', async () => {
    const { times } = streams();
    await times(16);
    expect([await times(63), await times(1), await times(63)]).toEqual([0, 1, 0]);
  });

  it('are always counted by the backend too once it has returned another number', async () => {
    let error = 0;
    const { stream, times } = streams({ count: async (text) => text.length + error });
    await times(16);
    error = 1;
    await times(64);
    error = 0;
    expect([await times(100), (await stream()).recorded]).toEqual([100, recorded]);
  });

  it('are counted by the backend if the request needs exact counts', async () => {
    let counted = 0;
    const { times, sent } = streams({ count: async () => counted++, needsCounts: true });
    expect([await times(20), counted]).toEqual([20, 0]);
    expect(sent[19]?.outputs).toEqual(['text_output', 'finish_reason', 'num_input_tokens', 'num_output_tokens']);
  });

  it('are counted by the backend if the model has an adapter, or they are long', async () => {
    expect(await streams({ model: { loraName: 'poet' } }).times(20)).toBe(20);
    const { stream, times } = streams();
    await times(16);
    const longest = 'x'.repeat(4096);
    expect((await stream({ prompts: [{ text: longest }] })).asks).toEqual([false]);
    expect((await stream({ prompts: [{ text: `${longest}x` }] })).asks).toEqual([true]);
  });

  it('are counted once where the backend counts in any case', async () => {
    const { stream, times } = streams({ model: { contract: vllmContract({ ...vllmConfig, backend: 'llamacpp' }) } });
    await times(16);
    expect(await stream()).toEqual({ asks: [true], recorded, error: undefined });
  });

  it('add up, and are counted once for all choices', async () => {
    const { stream, times } = streams();
    await times(16);
    const prompts = [{ text: 'ab' }, { text: 'cde' }];
    const { asks, recorded: sum } = await stream({ prompts, choicesPerPrompt: 2 });
    expect([asks, sum]).toEqual([[false, false, false, false], { prompt: 5, completion: 12 }]);
  });

  it('are waited for at the end, and are not counted where the tokenizer fails', async () => {
    let respond: (count: number) => void = () => undefined;
    let isSlow = false;
    let fails = false;
    const count: Tokenizer['count'] = (text) => {
      if (fails) return Promise.reject(new Error('the thread has ended'));
      return isSlow ? new Promise((resolve) => (respond = resolve)) : lengthOf(text, { addSpecialTokens: true });
    };
    const { stream, times } = streams({ count });
    await times(16);
    isSlow = true;
    let isOver = false;
    const waiting = stream().finally(() => (isOver = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    respond(7);
    expect(await waiting).toEqual({ asks: [false], recorded: { prompt: 7, completion: 3 }, error: undefined });
    fails = true;
    expect(await stream()).toEqual({ asks: [false], recorded: { prompt: 0, completion: 3 }, error: undefined });
  });
});

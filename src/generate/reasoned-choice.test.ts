import { describe, expect, it } from 'vitest';
import { roundOf, runOf } from '../../test/support/run-fixtures.ts';
import { cutEverywhere, folded, outcomeOf, type Script, scriptedModel } from '../../test/support/scripted-model.ts';
import { StatusError } from '../kserve/status.ts';
import { findReasoningFormat } from '../output/reasoning/formats.ts';
import { parsersFor } from './parsers.ts';
import type { Round } from './plan.ts';
import { generateReasoned } from './reasoned-choice.ts';

const reasoning = findReasoningFormat('qwen3');
const structure = { structure: { regex: 'a' }, field: 'guided_regex' };

type Scripts = Parameters<typeof scriptedModel>[0];

/** The outcome of a guided response after reasoning that the model starts, or that the prompt has opened. */
async function reason(scripts: Scripts, { prompt = 'Hi', ...round }: Partial<Round> & { prompt?: string } = {}) {
  const { model, sent } = scriptedModel(scripts);
  const opening = { prompt };
  const turn = reasoning?.turn(opening);
  const parsers = parsersFor({
    model,
    formats: { tools: undefined, reasoning },
    use: undefined,
    specials: undefined,
    opening,
  });
  if (!turn || !parsers) throw new Error('This format reasons.');
  const requested = roundOf({ prompts: [{ text: prompt }], structure, ...round });
  const events = await generateReasoned(runOf(model), requested, { turn, parsers, keepsSpecialTokens: false });
  const outcome = await outcomeOf(events);
  return { ...outcome, folded: folded(outcome.events), usage: outcome.events.at(-1), sent };
}

const guided = ({ parameters }: { parameters: Readonly<Record<string, unknown>> }) =>
  parameters['structured_outputs'] !== undefined;
const inferences = ({ sent }: Awaited<ReturnType<typeof reason>>) =>
  sent.map((each) => [each.id, each.prompt, guided(each)]);

describe('a structure behind reasoning', () => {
  it('starts after the reasoning that the prompt has opened', async () => {
    const response = await reason([{ tokens: ['Hm', '</think>'] }, { tokens: ['a'] }], { prompt: 'Hi<think>\n' });
    expect(response.folded).toEqual([{ text: 'a', reasoning: 'Hm', calls: [], finish: 'stop' }]);
    expect(inferences(response)).toEqual([
      ['request', 'Hi<think>\n', false],
      ['request-answer', 'Hi<think>\nHm</think>\n\n', true],
    ]);
    expect(response.usage).toEqual({ type: 'usage', promptTokens: 5, completionTokens: 3, reasoningTokens: 2 });
  });

  it('is the same however the reasoning is cut', async () => {
    for (const tokens of cutEverywhere('Hm. So</think>')) {
      const response = await reason([{ tokens }, { tokens: ['a'] }], { prompt: 'Hi<think>\n' });
      expect(response.folded).toEqual([{ text: 'a', reasoning: 'Hm. So', calls: [], finish: 'stop' }]);
      expect(inferences(response).at(-1)).toEqual(['request-answer', 'Hi<think>\nHm. So</think>\n\n', true]);
    }
  });

  it('follows reasoning that the model ended without its marker', async () => {
    const response = await reason([{ tokens: ['Hm'] }, { tokens: ['a'] }], { prompt: 'Hi<think>\n' });
    expect(inferences(response).at(-1)).toEqual(['request-answer', 'Hi<think>\nHm</think>\n\n', true]);
  });

  it('comes at once where the first tokens do not reason', async () => {
    const response = await reason([{ tokens: ['b', 'c'], end: 'length' }, { tokens: ['a'] }]);
    expect(response.folded).toEqual([{ text: 'a', reasoning: '', calls: [], finish: 'stop' }]);
    expect(response.sent[0]?.parameters).toMatchObject({ max_tokens: 4, stop: ['</think>'] });
    expect(response.usage).toEqual({ type: 'usage', promptTokens: 5, completionTokens: 1 });
  });

  it('is looked for in a few tokens more while those so far do not tell', async () => {
    const response = await reason([
      { tokens: ['<th'], end: 'length' },
      { tokens: ['ink>', 'Hm'], end: 'length' },
      { tokens: ['.</think>'] },
      { tokens: ['a'] },
    ]);
    expect(response.folded).toEqual([{ text: 'a', reasoning: 'Hm.', calls: [], finish: 'stop' }]);
    expect(inferences(response).map(([id]) => id)).toEqual([
      'request',
      'request-more',
      'request-more',
      'request-answer',
    ]);
  });

  it('does not come where the reasoning takes all tokens', async () => {
    const requested = { prompt: 'Hi<think>\n', sampling: { maxTokens: 2 } };
    const response = await reason([{ tokens: ['Hm', 'm'], end: 'length' }], requested);
    expect(response.folded).toEqual([{ text: '', reasoning: 'Hmm', calls: [], finish: 'length' }]);
    expect([response.sent.length, response.usage]).toEqual([
      1,
      { type: 'usage', promptTokens: 5, completionTokens: 2, reasoningTokens: 2 },
    ]);
  });

  it('has the stop sequences of the client, which the reasoning has not', async () => {
    const requested = { prompt: 'Hi<think>\n', sampling: { stop: ['X'], maxTokens: 9 } };
    const { sent } = await reason([{ tokens: ['Hm</think>'] }, { tokens: ['a'] }], requested);
    expect(sent.map(({ parameters: { stop, max_tokens } }) => [stop, max_tokens])).toEqual([
      [['</think>'], 9],
      [['X'], 8],
    ]);
  });

  it('is each choice’s own, and their usage is one', async () => {
    const scripts = ({ id }: { id: string }): Script =>
      id.endsWith('answer') ? { tokens: ['a'] } : { tokens: [`${id.at(-1)}</think>`] };
    const requested = { prompt: 'Hi<think>\n', choicesPerPrompt: 2, sampling: { seed: 3 } };
    const response = await reason(scripts, requested);
    expect(response.folded.map(({ text, reasoning: why }) => [text, why])).toEqual([
      ['a', '0'],
      ['a', '1'],
    ]);
    expect(response.usage).toEqual({ type: 'usage', promptTokens: 5, completionTokens: 4, reasoningTokens: 2 });
    expect(response.sent.map(({ id, parameters: { seed } }) => [id, seed])).toEqual([
      ['request-0', 3],
      ['request-1', 4],
      ['request-0-answer', 3],
      ['request-1-answer', 4],
    ]);
  });

  it('fails where a round of it does', async () => {
    const end = new StatusError('INTERNAL', 'It failed.');
    const response = await reason([{ tokens: ['Hm</think>'] }, { tokens: ['a'], end }], { prompt: 'Hi<think>\n' });
    expect([response.folded, response.error]).toEqual([
      [{ text: 'a', reasoning: 'Hm', calls: [], finish: undefined }],
      'backend_error',
    ]);
  });
});

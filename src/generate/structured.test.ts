import { describe, expect, it } from 'vitest';
import { roundOf, runOf } from '../../test/support/run-fixtures.ts';
import { folded, outcomeOf, type Script, scriptedModel } from '../../test/support/scripted-model.ts';
import { generate } from './generation.ts';
import type { Round } from './plan.ts';
import { generateChecked } from './structured.ts';
import type { WriteCorrection } from './structured-emulation.ts';

const emulation = { structure: { choice: ['yes', 'no'] }, field: 'guided_choice', retries: 2 };

interface Requested {
  readonly asksAgain?: boolean;
  readonly round?: Partial<Round>;
  readonly correct?: WriteCorrection;
}

async function check(
  scripts: Parameters<typeof scriptedModel>[0],
  { asksAgain = true, round, correct }: Requested = {},
) {
  const { model, sent } = scriptedModel(scripts);
  const run = runOf(model, { strategy: { asksAgain } });
  const requested = roundOf({ stream: !asksAgain, ...round });
  const { generation, structuredHeader } = await generateChecked(run, requested, {
    emulation,
    begin: generate,
    correct,
  });
  const outcome = await outcomeOf(generation);
  return { ...outcome, texts: folded(outcome.events).map(({ text }) => text), structuredHeader, sent };
}

describe('a response that must have a structure', () => {
  it('is retried until it matches, and all tries are counted', async () => {
    const { texts, structuredHeader, sent, events } = await check([
      { tokens: ['may', 'be'] },
      { tokens: ['ye'] },
      { tokens: ['yes'] },
    ]);
    expect([texts, structuredHeader]).toEqual([['yes'], 'emulated; tries=3']);
    expect(sent.map(({ id }) => id)).toEqual(['request', 'request-0-1', 'request-0-2']);
    expect(events.at(-1)).toEqual({ type: 'usage', promptTokens: 15, completionTokens: 4 });
  });

  it('is retried with what was wrong, and its own seed', async () => {
    const correct: WriteCorrection = async ({ text, violation }) => `${text}: ${violation}`;
    const requested = { correct, round: { sampling: { seed: 5 } } };
    const { sent } = await check([{ tokens: ['maybe'] }, { tokens: ['no'] }], requested);
    expect(sent.map(({ prompt, parameters: { seed } }) => [prompt, seed])).toEqual([
      ['Hello', 5],
      ['maybe: it is none of the choices', 6],
    ]);
  });

  it('is not retried if it would be the same', async () => {
    const { model, sent } = scriptedModel([{ tokens: ['maybe'] }]);
    const run = runOf(model, { strategy: { asksAgain: true } });
    const greedy = roundOf({ stream: false, sampling: { temperature: 0 } });
    await expect(
      generateChecked(run, greedy, { emulation, begin: generate, correct: undefined }),
    ).rejects.toMatchObject({
      code: 'structured_output_invalid',
      message: 'The response does not match the requested structure: it is none of the choices.',
    });
    expect(sent).toHaveLength(1);
  });

  it('that was cut off is wrong', async () => {
    const { texts, sent } = await check([{ tokens: ['ye'], end: 'length' }, { tokens: ['yes'] }]);
    expect([texts, sent.length]).toEqual([['yes'], 2]);
  });

  it('is each choice’s own; one that fails for good ends the others', async () => {
    const wrongAt =
      (choice: string) =>
      ({ id }: { id: string }): Script =>
        id.startsWith(`request-${choice}`) ? { tokens: ['maybe'] } : { tokens: [], end: 'hang' };
    const { model, sent } = scriptedModel(wrongAt('1'));
    const run = runOf(model, { strategy: { asksAgain: true } });
    const round = roundOf({ stream: true, choicesPerPrompt: 2 });
    await expect(generateChecked(run, round, { emulation, begin: generate, correct: undefined })).rejects.toMatchObject(
      {
        code: 'structured_output_invalid',
      },
    );
    expect(sent.map(({ id, isCancelled }) => [id, isCancelled])).toEqual([
      ['request-0-0', true],
      ['request-1-0', false],
      ['request-1-1', false],
      ['request-1-2', false],
    ]);
  });
});

describe('a response that is checked as it comes', () => {
  it('ends where nothing that follows can mend it', async () => {
    const { texts, error, sent } = await check([{ tokens: ['y', 'o', 'u'] }], { asksAgain: false });
    expect([texts, error]).toEqual([['y'], 'structured_output_invalid']);
    expect(sent[0]?.isCancelled).toBe(true);
  });

  it('is checked without the prompt before it', async () => {
    const requested = { asksAgain: false, round: { prefixes: ['Say: '] } };
    const { texts, error, structuredHeader } = await check([{ tokens: ['n', 'o'] }], requested);
    expect([texts, error, structuredHeader]).toEqual([['Say: no'], undefined, 'emulated; tries=1']);
  });
});

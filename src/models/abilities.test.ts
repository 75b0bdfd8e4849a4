import { describe, expect, it } from 'vitest';
import type { GenerationContract } from '../contracts/contract.ts';
import type { RowContracts } from '../contracts/row-contracts.ts';
import { abilities, contractName, firstRowAbility, requireRows, requireText, rowSettings } from './abilities.ts';
import type { NamedModel } from './served-model.ts';

const contract = {
  kind: 'vllm',
  images: { kind: 'taken' },
  support: (parameter) => ({ kind: parameter === 'logit_bias' ? 'refused' : 'supported', reason: '' }),
} as GenerationContract;
const rowsOf = (...tasks: (keyof RowContracts)[]) =>
  Object.fromEntries(tasks.map((task) => [task, { takes: 'text', task }])) as RowContracts;
const modelOf = (contracts: Partial<NamedModel>) =>
  ({ name: 'm', contract: undefined, rows: {}, ...contracts }) as NamedModel;

const text = modelOf({ contract, rows: rowsOf('embedding') });

describe('abilities', () => {
  const namesOf = (
    model: NamedModel,
    assets: object | undefined,
    reads = { tools: false, reasoning: false, images: false },
  ) => abilities.filter(({ isOf }) => isOf({ ...model, assets: assets as never, reads })).map(({ name }) => name);

  it('are known by contracts, assets and what can be read of the text', () => {
    expect(namesOf(text, undefined)).toEqual(['completion', 'guided_decoding', 'logprobs', 'embedding']);
    expect(namesOf(text, { template: {}, tokenizer: {} }, { tools: true, reasoning: true, images: true })).toEqual([
      'completion',
      'chat',
      'tools',
      'images',
      'reasoning',
      'guided_decoding',
      'logprobs',
      'token_ids',
      'embedding',
    ]);
    const both = modelOf({ rows: rowsOf('classify', 'rerank') });
    expect(namesOf(both, { template: {}, tokenizer: {} })).toEqual(['token_ids', 'rerank', 'classify']);
  });

  it('have names for Ollama where it has any', () => {
    const named = abilities.flatMap(({ ollamaName }) => ollamaName ?? []);
    expect(named).toEqual(['completion', 'tools', 'vision', 'thinking', 'embedding']);
  });
});

describe('a model without an ability', () => {
  const generating = 'It generates text: use POST /v1/chat/completions.';
  const embedding = 'It creates embeddings: use POST /v1/embeddings.';
  const scoring = 'It scores documents: use POST /v1/rerank.';
  const sorting = 'It classifies texts: use POST /v1/classify.';

  it.each<[string, () => unknown, string]>([
    ['text', () => requireText(modelOf({ rows: rowsOf('embedding') })), `does not generate text. ${embedding}`],
    ['text', () => requireText(modelOf({ rows: rowsOf('rerank') })), `does not generate text. ${scoring}`],
    ['vectors', () => requireRows(modelOf({ contract }), 'embedding'), `does not create embeddings. ${generating}`],
    [
      'vectors',
      () => requireRows(modelOf({ rows: rowsOf('classify') }), 'embedding'),
      `does not create embeddings. ${sorting}`,
    ],
    ['scores', () => requireRows(text, 'rerank'), `does not score documents. ${generating}`],
    [
      'classes',
      () => requireRows(modelOf({ rows: rowsOf('embedding') }), 'classify'),
      `does not classify texts. ${embedding}`,
    ],
    [
      'vectors',
      () => requireRows(modelOf({ rows: rowsOf('classify', 'rerank') }), 'embedding'),
      `does not create embeddings. ${scoring} ${sorting}`,
    ],
  ])('is refused with what it does instead of %s', (_, require, message) => {
    expect(require).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'model', message: `model: m ${message}` }),
    );
  });

  it('is no model that has it', () => {
    expect(requireText(text)).toBe(text);
    expect(requireRows(text, 'embedding')).toBe(text.rows.embedding);
  });
});

it('names a model by its text, else by the first thing that it does with rows', () => {
  expect([text, modelOf({ rows: rowsOf('classify', 'rerank') }), modelOf({})].map(contractName)).toEqual([
    'vllm',
    'rerank',
    '-',
  ]);
  expect(firstRowAbility({ rows: rowsOf('classify') })?.endpoint).toBe('/v1/classify');
});

it('takes from the settings of a model what bears on rows', () => {
  const settings = { tokenizer: 'folder', rerank: { label: 1 } };
  expect(rowSettings(settings)).toEqual({ rerank: { label: 1 } });
});

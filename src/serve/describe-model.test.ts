import { describe, expect, it } from 'vitest';
import type { FoundServedModel } from '../models/registry-options.ts';
import { modelDescriber } from './describe-model.ts';

type Value = Parameters<typeof modelDescriber>;

/** A model as it is described with these settings, and what people are told of it. */
function described(found: object, own: object) {
  const notes: string[] = [];
  const live = { current: { cacheDir: '/nowhere', models: { m: own } } } as unknown as Value[0];
  const terminal = { version: '1', environment: {} } as unknown as Value[1];
  const describer = modelDescriber(
    live,
    terminal,
    { onNote: (note) => notes.push(note), onError: () => undefined },
    (() => ({})) as unknown as Value[3],
  );
  const config = { name: 'm', parameters: {} };
  const model = describer({
    name: 'm',
    root: 'm',
    config,
    group: { servers: [] },
    rows: {},
    ...found,
  } as unknown as FoundServedModel);
  return {
    context: model.contextLength(),
    defaults: 'defaults' in model ? model.defaults : undefined,
    enforcesContext: 'enforcesContext' in model ? model.enforcesContext : undefined,
    notes,
  };
}

describe('modelDescriber', () => {
  it('never takes rows for longer than the inputs of a model are', () => {
    const embedding = { kind: 'tensors', longest: 4 };
    expect(described({ rows: { embedding } }, { contextLength: 512 }).context).toBe(4);
    expect(described({ rows: { embedding } }, { contextLength: 3 }).context).toBe(3);
    expect(described({ rows: { rerank: { longest: 4 } } }, { contextLength: 512 }).context).toBe(4);
    expect(described({ rows: { embedding: { kind: 'tensors' } } }, { contextLength: 512 }).context).toBe(512);
    expect(described({ contract: { limits: { context: 4 } } }, { contextLength: 512 }).context).toBe(512);
  });

  it('enforces a context length that the engine does not', () => {
    const enforces = (contextLength: number | undefined, limits: object, learnedContext?: number) =>
      described({ contract: { limits }, learnedContext }, { contextLength }).enforcesContext;
    expect(enforces(undefined, {})).toBe(false);
    expect(enforces(512, {})).toBe(true);
    expect(enforces(512, { context: 4096 })).toBe(true);
    expect(enforces(512, { context: 512 })).toBe(false);
    expect(enforces(512, { context: 4096 }, 256)).toBe(false);
  });

  it('takes what a server recommends for a model where the settings say nothing', () => {
    const recommended = { temperature: 0.2, top_p: 0.9, max_tokens: 1024 };
    const group = { servers: [{ defaultsOf: (model: string) => (model === 'small' ? recommended : {}) }] };
    expect(described({ group, model: 'small' }, {}).defaults).toEqual(recommended);
    expect(described({ group, model: 'small' }, { defaults: { temperature: 1 } }).defaults).toEqual({
      ...recommended,
      temperature: 1,
    });
    expect(described({ group, model: 'other' }, {}).defaults).toEqual({});
    expect(described({}, {}).defaults).toEqual({});
  });

  it('says which settings of vectors and scores have no effect', () => {
    const contract = { limits: {} };
    expect(
      described({ contract, rows: { embedding: { kind: 'vllm' } } }, { embedding: { pooling: 'cls' } }).notes,
    ).toEqual([
      'models.m.embedding is ignored: this model generates text, and only its server can create embeddings with it.',
    ]);
    expect(described({ contract }, { rerank: { label: 1 } }).notes).toEqual([
      'models.m.rerank is ignored: this model generates text, and does not score documents.',
    ]);
    expect(described({ contract, name: 'alias', root: 'm' }, { embedding: {} }).notes).toEqual([]);
    expect(described({ rows: { embedding: { kind: 'tensors' } } }, { embedding: { pooling: 'cls' } }).notes).toEqual(
      [],
    );
  });
});

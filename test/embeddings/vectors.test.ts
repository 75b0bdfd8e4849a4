import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../support/gateway.ts';
import { cosine, difference, type Minilm, reference, runsDuring, startMinilm } from './minilm.ts';

let minilm: Minilm;
beforeAll(async () => {
  minilm = await startMinilm(['minilm-text', 'minilm-ids', 'minilm-half']);
}, 120_000);
afterAll(() => minilm.stop());

const models = ['minilm-text', 'minilm-ids', 'minilm-half'] as const;

const ask = (body: object) => post(`${minilm.conch.url}/v1/embeddings`, body);

async function vectorsOf(model: string, input: unknown, rest: object = {}): Promise<number[][]> {
  const { status, text, body } = await ask({ model, input, ...rest });
  expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
  return (body['data'] as { embedding: number[] }[]).map(({ embedding }) => embedding);
}

describe('the vectors of MiniLM', { timeout: 180_000 }, () => {
  it.each(models)('are those of sentence-transformers: %s', async (model) => {
    const { sentences, vectors, pairs, ranking } = reference;
    const made = await vectorsOf(model, sentences);
    // Half precision has three digits.
    const allowed = model === 'minilm-half' ? 1e-3 : 1e-4;
    made.forEach((vector, at) => expect(difference(vector, vectors[at] ?? [])).toBeLessThan(allowed));
    const alike = pairs.map(([a, b]) => cosine(made[a] ?? [], made[b] ?? []));
    const ranked = [...pairs.keys()].toSorted((a, b) => (alike[b] ?? 0) - (alike[a] ?? 0));
    expect(ranked).toEqual(ranking);
  });

  it('come in OpenAI’s shape with their tokens counted', async () => {
    const { headers, body } = await ask({ model: 'minilm-ids', input: ['Someone eats food.', 'x'], user: 'me' });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toEqual({
      object: 'list',
      data: [0, 1].map((index) => ({ object: 'embedding', index, embedding: expect.any(Array) })),
      model: 'minilm-ids',
      usage: { prompt_tokens: 9, total_tokens: 9 },
    });
  });

  it('are the same as base64', async () => {
    const input = reference.sentences[0];
    const [floats] = await vectorsOf('minilm-ids', input);
    const { body } = await ask({ model: 'minilm-ids', input, encoding_format: 'base64' });
    const [{ embedding }] = body['data'] as [{ embedding: string }];
    const bytes = Buffer.from(embedding, 'base64');
    expect(Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4))).toEqual(floats);
  });

  it.each(models)('are the same for token ids: %s', async (model) => {
    const ids = [101, 2619, 20323, 2833, 1012, 102];
    const [byText] = await vectorsOf(model, 'Someone eats food.');
    const [one] = await vectorsOf(model, ids);
    const list = await vectorsOf(model, [ids, ids]);
    // Two rows are multiplied in another order than one. Half precision rounds to eleven bits, so a component below 0.25
    // may move by one such step.
    const allowed = model === 'minilm-half' ? 2 ** -13 : 1e-6;
    for (const vector of [one, ...list]) expect(difference(vector ?? [], byText ?? [])).toBeLessThan(allowed);
  });

  it('are made of the tokens that /tokenize tells', async () => {
    const model = 'minilm-ids';
    const tokens = [101, 2619, 20323, 2833, 1012, 102];
    const reported = await post(`${minilm.conch.url}/tokenize`, { model, prompt: 'Someone eats food.' });
    expect([reported.status, reported.body]).toEqual([200, { count: 6, max_model_len: 256, tokens, token_strs: null }]);
    const back = await post(`${minilm.conch.url}/detokenize`, { model, tokens });
    expect([back.status, back.body]).toEqual([200, { prompt: '[CLS] someone eats food. [SEP]' }]);
    const messages = [{ role: 'user', content: 'x' }];
    for (const path of ['/tokenize', '/apply-template']) {
      const { status, body } = await post(`${minilm.conch.url}${path}`, { model, messages });
      expect([status, body['error']]).toMatchObject([
        400,
        {
          message: 'model: minilm-ids does not generate text. It creates embeddings: use POST /v1/embeddings.',
          param: 'model',
        },
      ]);
    }
  });

  it('are cut to the dimensions that are asked for, and have length one again', async () => {
    const [whole = []] = await vectorsOf('minilm-ids', 'A conch.');
    const [cut = []] = await vectorsOf('minilm-ids', 'A conch.', { dimensions: 64 });
    expect(cut).toHaveLength(64);
    expect(Math.hypot(...cut)).toBeCloseTo(1, 6);
    expect(cosine(cut, whole.slice(0, 64))).toBeCloseTo(1, 6);
  });

  it.each([
    ['minilm-text', 32],
    ['minilm-ids', 64],
  ])('of a thousand texts keep their order and take as few executions as can be: %s', async (model, most) => {
    const texts = Array.from({ length: 1000 }, (_, at) => (at % 9 === 0 ? `${at} shells on the sand` : `shell ${at}`));
    let vectors: Awaited<ReturnType<typeof vectorsOf>> = [];
    const ran = await runsDuring(minilm.triton, { model, texts: 1000 }, async () => {
      vectors = await vectorsOf(model, texts);
    });
    expect(ran).toEqual({ runs: Math.ceil(1000 / most), texts: 1000 });
    expect(vectors).toHaveLength(1000);
    for (const at of [0, 1, 499, 500, 998, 999])
      expect(difference(vectors[at] ?? [], (await vectorsOf(model, texts[at]))[0] ?? [])).toBeLessThan(1e-5);
  });
});

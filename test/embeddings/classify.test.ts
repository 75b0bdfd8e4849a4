import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runConch } from '../support/command.ts';
import { post } from '../support/gateway.ts';
import { type Minilm, runsDuring, startMinilm } from './minilm.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-classify-'));
let minilm: Minilm;
beforeAll(async () => {
  const config = join(folder, 'conch.yaml');
  writeFileSync(config, 'models: {cross-ids: {rerank: {}, classify: {labels: [fits]}}}');
  minilm = await startMinilm(['minilm-text', 'mood', 'cross-ids', 'cross-text'], '--config', config);
}, 400_000);
afterAll(async () => {
  await minilm.stop();
  rmSync(folder, { recursive: true });
});

const ask = (path: string, body: object) => post(minilm.conch.url + path, body);
const refusal = async (path: string, body: object) => {
  const { status, body: response } = await ask(path, body);
  return [status, response.error?.['param'], response.error?.['message']];
};

const softmax = (figures: readonly number[]) => {
  const powers = figures.map((figure) => Math.exp(figure - Math.max(...figures)));
  const sum = powers.reduce((all, power) => all + power, 0);
  return powers.map((power) => expect.closeTo(power / sum, 5));
};

describe('POST /v1/classify and /classify', { timeout: 120_000 }, () => {
  it.each(['/v1/classify', '/classify'])("give probabilities and the labels of Triton's file: %s", async (path) => {
    const figures = [
      [2, 0, -1],
      [0, 1, 0.5],
      [-300, 0, 300],
    ];
    const { status, body } = await ask(path, { model: 'mood', input: figures.map((row) => JSON.stringify(row)) });
    expect([status, body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^classify-\w{32}$/),
        object: 'list',
        created: expect.closeTo(Date.now() / 1000, -3),
        model: 'mood',
        data: figures.map((row, index) => ({
          index,
          label: ['sad', 'so: so', 'glad'][index],
          probs: softmax(row),
          num_classes: 3,
        })),
        usage: { prompt_tokens: 31, total_tokens: 31, completion_tokens: 0 },
      },
    ]);
  });

  it('share inferences', async () => {
    const input = Array.from({ length: 16 }, () => '[1, 2, 3]');
    await ask('/v1/classify', { model: 'mood', input: input[0] });
    const work = () => ask('/v1/classify', { model: 'mood', input });
    expect(await runsDuring(minilm.triton, { model: 'mood', texts: 16 }, work)).toEqual({ runs: 2, texts: 16 });
  });

  it('take a model of token ids that scores pairs, where it is set to classify too', async () => {
    const data = async (input: unknown) => (await ask('/v1/classify', { model: 'cross-ids', input })).body['data'];
    const ids = [101, 1996, 2712, 2003, 2630, 1012, 102];
    const found = await data('The sea is blue.');
    expect(found).toEqual([{ index: 0, label: 'fits', probs: [expect.any(Number)], num_classes: 1 }]);
    expect(await data(ids)).toEqual(found);
    expect((await ask('/v1/rerank', { model: 'cross-ids', query: 'a', documents: ['b'] })).status).toBe(200);
  });

  it.each([
    ['minilm-text', 'does not classify texts. It creates embeddings: use POST /v1/embeddings.'],
    ['cross-text', 'does not classify texts. It scores documents: use POST /v1/rerank.'],
  ])('refuse a model that has no classes, by what it can do: %s', async (model, message) => {
    expect(await refusal('/v1/classify', { model, input: 'a' })).toEqual([400, 'model', `model: ${model} ${message}`]);
  });

  it.each([
    [{}, 'input', 'The field input is required.'],
    [{ input: [] }, 'input', 'input: must have at least 1 entry.'],
    [{ input: ['a', ''] }, 'input[1]', 'input[1]: must not be empty.'],
    [
      { input: 7 },
      'input',
      'input: must be a string, an array of strings, an array of token ids or an array of token id arrays.',
    ],
    [{ input: ['a', 7] }, 'input[1]', 'input[1]: must be a string or an array of token ids.'],
    [{ input: [1, -1] }, 'input[1]', 'input[1]: must be a token id: an integer from 0 to 2147483647.'],
    [
      { input: [[101], [999_999]] },
      'input',
      "input[1]: the token id 999999 is not in this model's vocabulary of 30522 tokens.",
    ],
    [
      { input: Array.from({ length: 2049 }, () => 'a') },
      'input',
      'input: must have at most 2048 entries, not 2049; send several requests.',
    ],
    [{ input: 'a', use_activation: false }, 'use_activation', expect.stringContaining('configured per model')],
    [{ input: 'a '.repeat(600) }, 'input', expect.stringMatching(/^input: has 602 tokens; this model takes \d+\./)],
  ])('refuse %j', async (body, param, message) => {
    expect(await refusal('/classify', { model: 'cross-ids', ...body })).toEqual([400, param, message]);
  });

  it('name the text that the model fails for', async () => {
    const failure = async (...input: string[]) => {
      const { status, body } = await ask('/v1/classify', { model: 'mood', input });
      return [status, body.error?.['message']];
    };
    expect(await failure('[1, 2, 3]', '[1, 2, NaN]')).toEqual([
      502,
      'input[1]: the model returned values that are not finite (NaN or infinity).',
    ]);
    expect(await failure('[1, 2]')).toEqual([502, expect.stringMatching(/^input\[0\]: /)]);
  });
});

describe('a classifier', { timeout: 120_000 }, () => {
  it('is listed as one, and refused elsewhere', async () => {
    const response = await fetch(`${minilm.conch.url}/v1/models/mood`);
    expect(await response.json()).toMatchObject({
      contract: 'classify',
      capabilities: { classify: true, rerank: false, embedding: false, chat: false, completion: false },
    });
    const { body } = await ask('/api/show', { model: 'mood' });
    expect([body['capabilities'], body['details']]).toEqual([[], expect.objectContaining({ format: 'classify' })]);
    const message = 'model: mood does not score documents. It classifies texts: use POST /v1/classify.';
    expect(await refusal('/v1/rerank', { model: 'mood', query: 'a', documents: ['b'] })).toEqual([
      400,
      'model',
      message,
    ]);
    expect(await refusal('/score', { model: 'mood', text_1: 'a', text_2: 'b' })).toEqual([400, 'model', message]);
  });

  it('is diagnosed', async () => {
    const { stdout } = await runConch(['doctor', 'mood', ...minilm.flags]);
    expect(stdout).toContain(`
  contract  classify
  why       it takes a text or its token ids and returns a score for each class
  inputs    text
  outputs   logits
`);
    expect(stdout).toContain('classes   texts in, batches of up to 8, 3 values out, softmax\n');
  });
});

describe('POST /v1/score and /score', { timeout: 120_000 }, () => {
  const documents = ['The sea is blue.', 'A cat sleeps.'];
  const query = 'What colour has the sea?';

  it('score as rerank does, in the order of the texts', async () => {
    const { body: ranking } = await ask('/v1/rerank', { model: 'cross-text', query, documents });
    const ranked = ranking['results'] as { index: number; relevance_score: number }[];
    const scores = ranked.toSorted((a, b) => a.index - b.index).map(({ relevance_score: score }) => score);
    const response = {
      id: expect.stringMatching(/^score-\w{32}$/),
      object: 'list',
      created: expect.closeTo(Date.now() / 1000, -3),
      model: 'cross-text',
      data: scores.map((score, index) => ({ index, object: 'score', score })),
      usage: { ...(ranking['usage'] as object), completion_tokens: 0 },
    };
    for (const [path, first, second] of [
      ['/score', 'text_1', 'text_2'],
      ['/v1/score', 'queries', 'documents'],
      ['/score', 'queries', 'items'],
      ['/v1/score', 'data_1', 'data_2'],
    ] as const) {
      expect((await ask(path, { model: 'cross-text', [first]: query, [second]: documents })).body).toEqual(response);
      const pairs = { [first]: [query, query], [second]: documents };
      expect((await ask(path, { model: 'cross-text', ...pairs })).body).toEqual(response);
    }
  });

  const pairs =
    'send exactly one of these pairs: text_1 and text_2, queries and documents, queries and items, data_1 and data_2.';
  it.each([
    [{}, 'text_1', `text_1: ${pairs}`],
    [{ text_1: 'a', text_2: null }, 'text_1', `text_1: ${pairs}`],
    [{ text_1: 'a', data_2: 'b' }, 'text_1', `text_1: ${pairs}`],
    [{ queries: 'a', documents: 'b', items: 'c' }, 'queries', `queries: ${pairs}`],
    [{ text_1: ['a', 'b'], text_2: 'c' }, 'text_1', 'text_1: must have 1 entry, or as many as text_2 (1), not 2.'],
    [{ text_1: '', text_2: 'c' }, 'text_1', 'text_1: must not be empty.'],
    [{ text_1: 'a', text_2: [] }, 'text_2', 'text_2: must have at least 1 entry.'],
    [{ text_1: 'a', text_2: ['b', 7] }, 'text_2[1]', 'text_2[1]: must be a string, not 7.'],
    [{ text_1: 'a', text_2: 7 }, 'text_2', 'text_2: must be a string or an array of strings.'],
    [
      { text_1: 'a', text_2: Array.from({ length: 2049 }, () => 'b') },
      'text_2',
      'text_2: must have at most 2048 entries, not 2049.',
    ],
    [
      { data_1: 'a', data_2: ['b', 'b '.repeat(600)] },
      'data_2',
      expect.stringMatching(
        /^data_2\[1\]: has 604 tokens together with data_1; this model takes \d+\. Shorten one of them\.$/,
      ),
    ],
  ])('refuse %j', async (body, param, message) => {
    expect(await refusal('/v1/score', { model: 'cross-text', ...body })).toEqual([400, param, message]);
  });
});

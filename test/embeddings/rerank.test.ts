import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { post } from '../support/gateway.ts';
import { cosine, type Minilm, reference, runsDuring, startMinilm } from './minilm.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-rerank-'));
let minilm: Minilm;
beforeAll(async () => {
  const config = join(folder, 'conch.yaml');
  writeFileSync(config, 'models: {classes: {rerank: {label: 2}}}');
  minilm = await startMinilm(
    ['minilm-ids', 'cross-ids', 'cross-text', 'classes'],
    '--config',
    config,
    '--triton',
    `127.0.0.1:${inject('triton').grpcPort}`,
  );
}, 120_000);
afterAll(async () => {
  await minilm.stop();
  rmSync(folder, { recursive: true });
});

const ask = (body: object, path = '/v1/rerank') => post(minilm.conch.url + path, body);

const { sentences, vectors } = reference;
const query = sentences[6] ?? '';
const documents = [4, 7, 0, 9].map((at) => sentences[at] ?? '');
const alike = [4, 7, 0, 9].map((at) => cosine(vectors[6] ?? [], vectors[at] ?? []));
const order = [...documents.keys()].toSorted((a, b) => (alike[b] ?? 0) - (alike[a] ?? 0));

interface Scored {
  readonly index: number;
  readonly relevance_score: number;
  readonly document?: { readonly text: string };
}

describe('POST /v1/rerank, /rerank and /v2/rerank', () => {
  it.each([
    ['/v1/rerank', '1'],
    ['/rerank', '1'],
    ['/v2/rerank', '2'],
  ])('score documents and give the best first, in the shapes of Cohere, Jina and vLLM: %s', async (path, version) => {
    const { status, body } = await ask({ model: 'cross-text', query, documents }, path);
    expect([status, body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^rerank-\w{32}$/),
        model: 'cross-text',
        results: order.map((index) => ({ index, relevance_score: expect.closeTo((alike[index] ?? 0) / 2 + 0.5, 4) })),
        meta: { api_version: { version }, tokens: { input_tokens: 82 } },
        usage: { prompt_tokens: 82, total_tokens: 82 },
      },
    ]);
  });

  it('make a score between 0 and 1 of a logit, for pairs as token ids', async () => {
    let results: Scored[] = [];
    const ran = await runsDuring(minilm.triton, { model: 'cross-ids', texts: 20 }, async () => {
      const many = Array.from({ length: 5 }, () => documents).flat();
      const { body } = await ask({ model: 'cross-ids', query, documents: many });
      results = body['results'] as Scored[];
    });
    expect(ran).toEqual({ runs: 3, texts: 20 });
    expect(results.map(({ index }) => index % 4)).toEqual(
      order.flatMap((index) => Array.from({ length: 5 }, () => index)),
    );
    expect(results[0]?.relevance_score).toBeGreaterThan(0.7);
    expect(results.every(({ relevance_score: score }) => score > 0 && score < 1)).toBe(true);
  });

  it('give as many as are wanted, with their texts where they are wanted', async () => {
    const value = documents.map((text, at) => (at % 2 === 0 ? { text, title: 'x' } : text));
    const { body } = await ask({ model: 'cross-ids', query, documents: value, top_n: 2, return_documents: true });
    expect(body['results']).toEqual(
      order
        .slice(0, 2)
        .map((index) => ({ index, relevance_score: expect.any(Number), document: { text: documents[index] } })),
    );
  });

  it('read the label that is set for a model with several', async () => {
    const { body } = await ask({ model: 'classes', query: 'a', documents: ['b'] });
    const sum = Math.exp(0) + Math.exp(1) + Math.exp(2);
    expect(body['results']).toEqual([{ index: 0, relevance_score: expect.closeTo(Math.exp(2) / sum, 6) }]);
  });

  it.each(['cross-ids', 'cross-text'])(
    'cut documents where they are told to, and else refuse long ones: %s',
    async (model) => {
      const long = `${documents[1]} ${'word '.repeat(300)}`;
      const refused = await ask({ model, query, documents: ['a', long] });
      expect([refused.status, refused.body.error]).toEqual([
        400,
        {
          message: expect.stringMatching(
            /^documents\[1\]: has \d+ tokens together with the query; this model takes 256\. Shorten it, or send max_tokens_per_doc\.$/,
          ),
          type: 'invalid_request_error',
          param: 'documents',
          code: 'context_length_exceeded',
        },
      ]);
      const [cut, whole] = await Promise.all([
        ask({ model, query, documents: [long], max_tokens_per_doc: 12 }),
        ask({ model, query, documents: [documents[1]] }),
      ]);
      expect(cut.status).toBe(200);
      const [first, second] = [cut, whole].map(({ body }) => (body['results'] as Scored[])[0]?.relevance_score ?? 0);
      expect(Math.abs((first ?? 0) - (second ?? 0))).toBeLessThan(0.02);
    },
  );

  it.each<[string, object, string]>([
    ['no documents', { documents: [] }, 'documents: must have at least 1 entry.'],
    ['an empty document', { documents: ['a', { text: '' }] }, 'documents[1].text: must not be empty.'],
    ['a document without a text', { documents: [{ title: 'a' }] }, 'documents[0].text: is required.'],
    ['no query', { query: '' }, 'query: must not be empty.'],
    ['top_n of none', { top_n: 0 }, 'top_n: must be at least 1, not 0.'],
    ['rank_fields', { rank_fields: ['title'] }, 'rank_fields: not supported; documents are ranked by their text.'],
    [
      '10,000 documents',
      { documents: Array.from({ length: 10_000 }, () => 'a') },
      'documents: must have at most 2048 entries, not 10000.',
    ],
    [
      'a model that generates text',
      { model: 'vllm-toy' },
      'model: vllm-toy does not score documents. It generates text: use POST /v1/chat/completions.',
    ],
    [
      'a model that makes embeddings',
      { model: 'minilm-ids' },
      'model: minilm-ids does not score documents. It creates embeddings: use POST /v1/embeddings.',
    ],
  ])('refuse %s', async (_, rest, message) => {
    const { status, body } = await ask({ model: 'cross-ids', query, documents, ...rest });
    expect([status, body.error?.['message']]).toEqual([400, message]);
  });
});

import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { python, pythonJson } from '../support/python.ts';
import { difference, type Minilm, reference, startMinilm } from './minilm.ts';

let minilm: Minilm;
beforeAll(async () => {
  minilm = await startMinilm(['minilm-text', 'minilm-ids', 'cross-ids']);
}, 120_000);
afterAll(() => minilm.stop());

// One sentence has a character that is not in the vocabulary: its token ids have no text.
const spelled = reference.sentences.flatMap((sentence, at) => (sentence.includes('🐕') ? [] : [at]));
const sentences = spelled.map((at) => reference.sentences[at] ?? '');
const vectors = spelled.map((at) => reference.vectors[at] ?? []);

function expectReference(made: readonly (readonly number[])[]): void {
  expect(made).toHaveLength(vectors.length);
  made.forEach((vector, at) => expect(difference(vector, vectors[at] ?? [])).toBeLessThan(1e-4));
}

describe('clients', () => {
  it.each(['minilm-ids', 'minilm-text'])(
    "OpenAI's Python package and LangChain read the vectors of %s",
    async (model) => {
      const { stdout, stderr, exitCode } = await python(
        'test/embeddings/clients.py',
        [`${minilm.conch.url}/v1`, model, minilm.folder],
        { input: JSON.stringify(sentences), environment: { TRANSFORMERS_NO_ADVISORY_WARNINGS: '1' } },
      );
      expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
      const made = JSON.parse(stdout) as Record<string, number[][]>;
      expect(Object.keys(made)).toEqual(['base64', 'float', 'langchain, texts', 'langchain, token ids']);
      for (const each of Object.values(made)) expectReference(each);
    },
  );

  it("OpenAI's Node package reads them in both encodings", async () => {
    const client = new OpenAI({ baseURL: `${minilm.conch.url}/v1`, apiKey: 'none', maxRetries: 0 });
    for (const encoding of [undefined, 'float', 'base64'] as const) {
      const requested = { model: 'minilm-ids', input: sentences, ...(encoding ? { encoding_format: encoding } : {}) };
      const { data, usage } = await client.embeddings.create(requested);
      // A client that asks for base64 by name is given it as it came.
      expectReference(
        encoding === 'base64'
          ? data.map(({ embedding }) => floatsOf(String(embedding)))
          : data.map(({ embedding }) => embedding),
      );
      expect(usage).toEqual({ prompt_tokens: expect.any(Number), total_tokens: expect.any(Number) });
    }
  });

  it("LlamaIndex's rerankers of Jina and of Cohere rank documents", async () => {
    const [query = '', near = '', , , far = ''] = sentences;
    const score = expect.any(Number);
    const requested = [minilm.conch.url, 'cross-ids', query];
    const input = JSON.stringify([far, near]);
    expect(await pythonJson('test/embeddings/llamaindex_rerank.py', requested, { input })).toEqual({
      jina: [
        [near, score],
        [far, score],
      ],
      cohere: [[near, score]],
    });
  });
});

function floatsOf(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
}

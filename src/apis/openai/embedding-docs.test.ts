import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ClassifyRequest } from '../../requests/classify-request.ts';
import { EmbeddingRequest } from '../../requests/embedding-request.ts';
import { RerankRequest } from '../../requests/rerank-request.ts';
import { ScoreRequest } from '../../requests/score-request.ts';

describe('docs/embeddings.md', () => {
  it('says of every request field what becomes of it', () => {
    const page = readFileSync(new URL('../../../docs/embeddings.md', import.meta.url), 'utf8');
    const known = [EmbeddingRequest, RerankRequest, ClassifyRequest, ScoreRequest].flatMap(({ shape }) =>
      Object.keys(shape),
    );
    expect(known.filter((field) => !page.includes(`\`${field}\``))).toEqual([]);
  });
});

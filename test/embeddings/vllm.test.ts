import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Conch, startConch } from '../support/conch.ts';
import { post, sharedGateway } from '../support/gateway.ts';
import type { SharedConch } from '../support/shared-conch.ts';
import { cosine } from './minilm.ts';

const texts = ['The fox runs through the forest.', 'A fox in a wood.', 'Interest rates rise.'];

interface Body {
  readonly data: readonly { readonly embedding: number[] }[];
  readonly usage: { readonly prompt_tokens: number };
}

describe("a model of Triton's vLLM backend", () => {
  let conch: SharedConch;
  beforeAll(async () => {
    conch = await sharedGateway();
  });

  const embed = (body: object) => post(`${conch.url}/v1/embeddings`, { model: 'vllm-embed', ...body });

  it('makes one vector for each text, in their order, and counts their tokens', async () => {
    const many = Array.from({ length: 100 }, (_, at) => `${texts[at % 3]} ${at}`);
    const { status, body } = await embed({ input: many });
    expect(status).toBe(200);
    const { data, usage } = body as unknown as Body;
    const alone = await Promise.all([0, 57, 99].map((at) => embed({ input: many[at] })));
    expect(alone.map((response) => (response.body as unknown as Body).data[0]?.embedding)).toEqual(
      [0, 57, 99].map((at) => data[at]?.embedding),
    );
    expect(data.map(({ embedding }) => embedding.length)).toEqual(many.map(() => 64));
    expect(usage.prompt_tokens).toBeGreaterThan(500);
  });

  it('is given token ids as they are', async () => {
    const { body } = await embed({ input: [[1, 2, 3], [4]] });
    expect((body as unknown as Body).usage).toEqual({ prompt_tokens: 4, total_tokens: 4 });
  });

  it('is refused where it was loaded for the other task', async () => {
    const generating = await embed({ model: 'vllm-toy', input: 'a' });
    expect([generating.status, generating.body.error]).toEqual([
      400,
      {
        message: 'This model makes no embeddings.',
        type: 'invalid_request_error',
        param: 'model',
        code: 'invalid_request',
      },
    ]);
    const old = await embed({ model: 'vllm-2502', input: 'a' });
    expect([old.status, old.body.error?.['message']]).toEqual([
      400,
      'model: vllm-2502 does not create embeddings. It generates text: use POST /v1/chat/completions.',
    ]);
    const embedding = await post(`${conch.url}/v1/completions`, { model: 'vllm-embed', prompt: 'a' });
    expect([embedding.status, embedding.body.error?.['message']]).toEqual([
      400,
      'This model makes embeddings; it does not generate text.',
    ]);
  });
});

describe('the embedded engine', { timeout: 120_000 }, () => {
  let conch: Conch;
  beforeAll(async () => {
    conch = await startConch({ flags: ['--context-length', '256'], readyMilliseconds: 180_000 });
  }, 200_000);
  afterAll(() => conch.stop());

  const embed = (body: object) => post(`${conch.url}/v1/embeddings`, { model: 'smollm2-135m-instruct', ...body });

  it('makes vectors of length one, cuts them, and names the text that is at fault', async () => {
    const { body } = await embed({ input: texts });
    const vectors = (body as unknown as Body).data.map(({ embedding }) => embedding);
    for (const vector of vectors) expect([vector.length, Math.hypot(...vector)]).toEqual([576, expect.closeTo(1, 5)]);
    const cut = await embed({ input: texts[0], dimensions: 64 });
    const [short = []] = (cut.body as unknown as Body).data.map(({ embedding }) => embedding);
    const [whole = []] = vectors;
    expect(cosine(short, whole.slice(0, 64))).toBeCloseTo(1, 5);
    const wide = await embed({ input: 'a', dimensions: 577 });
    expect([wide.status, wide.body.error?.['param']]).toEqual([400, 'dimensions']);
    const long = await embed({ input: ['a', 'word '.repeat(9_000)] });
    expect([long.status, long.body.error]).toEqual([
      400,
      {
        message: expect.stringMatching(
          /^input\[1\]: This model's maximum context length is \d+ tokens\. The prompt has \d+\. Shorten it\.$/,
        ),
        type: 'invalid_request_error',
        param: 'input',
        code: 'context_length_exceeded',
      },
    ]);
  });
});

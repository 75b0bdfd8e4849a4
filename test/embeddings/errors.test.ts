import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../support/gateway.ts';
import { type Minilm, startMinilm } from './minilm.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-embeddings-'));
let minilm: Minilm;
beforeAll(async () => {
  const config = join(folder, 'conch.yaml');
  writeFileSync(config, 'models: {classes: {rerank: {label: 0, activation: none}}}');
  minilm = await startMinilm(['minilm-text', 'minilm-ids', 'cross-ids', 'classes', 'steered'], '--config', config);
}, 120_000);
afterAll(async () => {
  await minilm.stop();
  rmSync(folder, { recursive: true });
});

const embed = (model: string, input: unknown, rest: object = {}) =>
  post(`${minilm.conch.url}/v1/embeddings`, { model, input, ...rest });

const longest = 256;
const long = 'word '.repeat(longest);

describe('POST /v1/embeddings refuses', () => {
  it.each<[string, unknown, string, object?]>([
    ['an empty list', [], 'input: must have at least 1 entry.'],
    ['an empty text', '', 'input: must not be empty.'],
    ['an empty text in a list', ['a', ''], 'input[1]: must not be empty.'],
    ['an empty list in a list', [[101], []], 'input[1]: must not be empty.'],
    [
      'an object',
      { text: 'a' },
      'input: must be a string, an array of strings, an array of token ids or an array of token id arrays.',
    ],
    ['a number in a list of texts', ['a', 1], 'input[1]: must be a string or an array of token ids.'],
    ['an id that is none', [101, -1], 'input[1]: must be a token id: an integer from 0 to 2147483647.'],
    [
      'an id in a list that is none',
      [[101], [101, 1.5]],
      'input[1][1]: must be a token id: an integer from 0 to 2147483647.',
    ],
    [
      '10,000 texts',
      Array.from({ length: 10_000 }, () => 'a'),
      'input: must have at most 2048 entries, not 10000; send several requests.',
    ],
    ['no dimensions', 'a', 'dimensions: must be at least 1, not 0.', { dimensions: 0 }],
    [
      'more dimensions than there are',
      'a',
      'dimensions: must be at most 384, the vector length of this model.',
      { dimensions: 385 },
    ],
  ])('%s', async (_, input, message, rest) => {
    const { status, body } = await embed('minilm-ids', input, rest);
    expect([status, body.error?.['code'], body.error?.['message']]).toEqual([400, 'invalid_request', message]);
  });

  it.each(['minilm-ids', 'minilm-text'])('a text that is too long, by its place: %s', async (model) => {
    const { status, body } = await embed(model, ['a', long]);
    expect([status, body.error]).toEqual([
      400,
      {
        message: `input[1]: has 258 tokens; this model takes ${longest}. Shorten it.`,
        type: 'invalid_request_error',
        param: 'input',
        code: 'context_length_exceeded',
      },
    ]);
    expect((await embed(model, long)).body.error?.['message']).toMatch(/^input: has 258 tokens/);
  });

  it.each(['minilm-ids', 'minilm-text'])("ids that are not in the model's vocabulary: %s", async (model) => {
    const { status, body } = await embed(model, [
      [101, 102],
      [101, 50_000, 102],
    ]);
    expect([status, body.error?.['message']]).toEqual([
      400,
      "input[1]: the token id 50000 is not in this model's vocabulary of 30522 tokens.",
    ]);
  });

  it('ids that no text has, where the model takes text', async () => {
    const { status, body } = await embed('minilm-text', [101, 101, 102]);
    expect([status, body.error?.['message']]).toEqual([
      400,
      'input: these token ids have no text that is tokenized to the same ids, and this model takes text; send text.',
    ]);
  });

  it.each([
    ['cross-ids', 'model: cross-ids does not create embeddings. It scores documents: use POST /v1/rerank.'],
    ['classes', 'model: classes does not create embeddings. It scores documents: use POST /v1/rerank.'],
  ])('a model that makes none: %s', async (model, message) => {
    const { status, body } = await embed(model, 'a');
    expect([status, body.error?.['param'], body.error?.['message']]).toEqual([400, 'model', message]);
  });
});

describe('a model that generates no text', () => {
  it.each([
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'x' }] }],
    ['/v1/completions', { prompt: 'x' }],
  ])('is refused by name: %s', async (path, prompt) => {
    const requested = await Promise.all(
      ['minilm-ids', 'cross-ids'].map((model) => post(minilm.conch.url + path, { model, ...prompt })),
    );
    expect(requested.map(({ status, body }) => [status, body.error?.['message']])).toEqual([
      [400, 'model: minilm-ids does not generate text. It creates embeddings: use POST /v1/embeddings.'],
      [400, 'model: cross-ids does not generate text. It scores documents: use POST /v1/rerank.'],
    ]);
  });
});

describe('a model that gives what is no vector', () => {
  it.each([
    ['nan', 'input[2]: the model returned values that are not finite (NaN or infinity).'],
    ['infinite', 'input[2]: the model returned values that are not finite (NaN or infinity).'],
    ['long', 'input[2]: the model returned a vector of 3 values, not of 2.'],
    ['nothing', 'input[2]: the model returned embedding of shape [0] for 1 texts.'],
    ['fail', 'input[2]: The backend failed: the model does not like this text'],
  ])('is told of by the place: %s', async (text, message) => {
    const { status, body } = await embed('steered', ['a', 'b', text, 'd']);
    expect([status, body.error]).toEqual([
      502,
      { message, type: 'server_error', param: 'input', code: 'backend_error' },
    ]);
    expect((await embed('steered', ['a', 'b'])).status).toBe(200);
  });

  it('fails a request for more dimensions once they are known', async () => {
    const { status, body } = await embed('steered', ['a'], { dimensions: 3 });
    expect([status, body.error?.['param'], body.error?.['message']]).toEqual([
      400,
      'dimensions',
      'dimensions: must be at most 2, the vector length of this model.',
    ]);
  });
});

describe('a client that leaves', () => {
  it('ends the inferences that have not begun', async () => {
    const seen = async () =>
      ((await embed('steered', 'seen')).body['data'] as [{ embedding: [number] }])[0].embedding[0];
    const before = await seen();
    const leaving = new AbortController();
    const requested = fetch(`${minilm.conch.url}/v1/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': 'leaver' },
      body: JSON.stringify({ model: 'steered', input: Array.from({ length: 200 }, () => 'slow') }),
      signal: leaving.signal,
    }).catch((error: Error) => error.name);
    const line = minilm.conch.logged(({ reqId, status }) => reqId === 'leaver' && status !== undefined);
    // The next one is answered after those that are in its way: some have begun by then.
    await embed('steered', 'a');
    leaving.abort();
    expect(await requested).toBe('AbortError');
    expect(await line).toMatchObject({ status: 499, message: 'client disconnected' });
    expect((await seen()) - before).toBeLessThan(60);
  });
});

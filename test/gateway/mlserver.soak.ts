import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runConch } from '../support/command.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { eventsOf, post } from '../support/gateway.ts';
import { MlServer } from '../support/mlserver.ts';

// MLServer from PyPI: a KServe server that is not Triton.

let server: MlServer;
let conch: Conch;
beforeAll(async () => {
  server = await MlServer.open();
  server.start();
  const flags = ['--triton', server.address, '--tokenizer', `words=${tokenizerFolder('qwen3')}`];
  conch = await startConch({ flags: [...flags, '--refresh-interval', '200ms'], readyMilliseconds: 120_000 });
}, 1_200_000);
afterAll(async () => {
  await conch.stop();
  await server.close();
});

const completion = { model: 'words', prompt: 'one two three four', max_tokens: 3, temperature: 0 };

describe('MLServer', () => {
  it('completes text, from the metadata of its model only', async () => {
    const { status, body } = await post(`${conch.url}/v1/completions`, completion);
    expect([status, body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^cmpl-/),
        object: 'text_completion',
        created: expect.any(Number),
        model: 'words',
        system_fingerprint: expect.stringMatching(/^fp_/),
        choices: [{ index: 0, text: 'one two three', logprobs: null, finish_reason: 'length' }],
        usage: { prompt_tokens: 4, completion_tokens: 3, total_tokens: 7 },
      },
    ]);
  });

  it('streams chat', async () => {
    const messages = [{ role: 'user', content: 'four five' }];
    const { text } = await post(`${conch.url}/v1/chat/completions`, { model: 'words', messages, stream: true });
    const chunks = eventsOf(text).slice(0, -1) as {
      choices: { delta: { content?: string }; finish_reason: string | null }[];
    }[];
    const content = chunks.map(({ choices }) => choices[0]?.delta.content ?? '');
    const found = [content.join(''), content.filter((part) => part !== '').length, chunks.at(-1)?.choices[0]];
    expect(found).toEqual([
      '<|im_start|>user four five<|im_end|> <|im_start|>assistant',
      4,
      { index: 0, delta: {}, logprobs: null, finish_reason: 'stop' },
    ]);
  });

  it('makes embeddings', async () => {
    const { status, body } = await post(`${conch.url}/v1/embeddings`, { model: 'vectors', input: ['a bc', 'abcdef'] });
    const vectors = (body['data'] as { embedding: number[] }[]).map(({ embedding }) => embedding);
    expect([status, vectors]).toEqual([
      200,
      [
        [2, 4],
        [1, 6],
      ],
    ]);
  });

  it('fails a request, and says why', async () => {
    const { status, body } = await post(`${conch.url}/v1/completions`, { ...completion, prompt: 'fail now' });
    const message = 'The backend failed: This model cannot repeat that.';
    expect([status, body.error]).toEqual([502, { message, type: 'server_error', param: null, code: 'backend_error' }]);
  });

  it('is listed, with a model that it does not have', async () => {
    const flags = ['--triton', server.address, '--triton-model', 'words', '--triton-model', 'other'];
    const { stdout, code } = await runConch(['models', '--json', ...flags]);
    const row = { server: server.address, tokenizer: '-', state: 'READY', reason: '' };
    const reason = 'it is set with --triton-model, but no server has it';
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        models: [
          { ...row, name: 'vectors', version: '', contract: 'embedding' },
          { ...row, name: 'words', version: '1', contract: 'vllm' },
          { name: 'other', version: '', server: '-', contract: '-', tokenizer: '-', state: 'MISSING', reason },
        ],
      },
    ]);
    const doctor = await runConch(['doctor', 'other', ...flags]);
    expect([doctor.code, doctor.stdout]).toEqual([
      1,
      `${server.address}: mlserver 1.7.1\n\nother on -: NOT SERVED\n  why       ${reason}\n`,
    ]);
  });

  it('goes down and comes back', async () => {
    const response = async () => {
      const { status, body } = await post(`${conch.url}/v1/completions`, completion);
      return [status, body.error?.['code']];
    };
    await server.kill();
    await expect.poll(response).toEqual([503, 'server_not_ready']);
    server.start();
    await expect.poll(response).toEqual([200, undefined]);
  });
});

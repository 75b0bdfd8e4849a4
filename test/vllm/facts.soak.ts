import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Conch, startConch } from '../support/conch.ts';
import { post } from '../support/gateway.ts';
import { readyMilliseconds, realEnvironment, realModel, realRepository } from '../support/real-vllm.ts';
import { tritonProgram } from '../support/triton.ts';
import { chat, contentOf, patience } from './over-vllm.ts';

let folder: string;
let conch: Conch;

// As `conch repo init vllm` tells to serve a repository: neither tokenizer nor template nor context length is named.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'conch-vllm-facts-'));
  const repository = realRepository(folder);
  conch = await startConch({
    flags: [
      `--model-repository=${repository}`,
      `--tritonserver=${tritonProgram()}`,
      '--refresh-interval=200ms',
      '--',
      `--backend-directory=${join(folder, 'backends')}`,
    ],
    environment: realEnvironment(),
    readyMilliseconds,
  });
}, patience);

afterAll(async () => {
  await conch?.stop();
  rmSync(folder, { recursive: true, force: true });
}, patience);

it('chats with the template of the folder that model.json names', async () => {
  expect(
    contentOf(await chat(conch, { messages: [{ role: 'user', content: 'What is the capital of France?' }] })),
  ).toBe('The capital of France is Paris.');
});

it('knows the context length of model.json', async () => {
  const response = await fetch(`${conch.url}/v1/models/${realModel}`);
  expect(await response.json()).toMatchObject({ id: realModel, max_model_len: 2048 });
  const tokens = await post(`${conch.url}/tokenize`, { model: realModel, prompt: 'one two' });
  expect(tokens.body).toMatchObject({ count: 2, max_model_len: 2048 });
  const long = await chat(conch, { messages: [{ role: 'user', content: 'word '.repeat(3000) }] });
  expect([long.status, long.body.error?.['code']]).toEqual([400, 'context_length_exceeded']);
});

interface TokenLogprob {
  readonly token: string;
  readonly bytes: readonly number[] | null;
}

it('has the bytes of each token, also of parts of characters', async () => {
  const { body } = await chat(conch, { guided_choice: ['龘😀'], logprobs: true, top_logprobs: 1 });
  const [choice] = body['choices'] as { message: { content: string }; logprobs: { content: TokenLogprob[] } }[];
  expect(choice?.message.content).toBe('龘😀');
  const bytes = choice?.logprobs.content.flatMap((entry) => entry.bytes ?? []) ?? [];
  // The token that ends the response has a logprob, too.
  expect(Buffer.from(bytes).toString('utf8')).toBe('龘😀<|im_end|>');
  expect(choice?.logprobs.content.length).toBeGreaterThan(2);
});

it('repeats a response by a seed of 64 bits, and tells neighbours apart', async () => {
  const withSeed = async (seed: string) => {
    const fields = { model: realModel, prompt: 'Once upon a time', max_tokens: 12, temperature: 1 };
    const text = JSON.stringify(fields).replace(/\}$/, `,"seed":${seed}}`);
    const { status, body } = await post(`${conch.url}/v1/completions`, text);
    return [status, (body['choices'] as { text: string }[])[0]?.text];
  };
  const first = await withSeed('1763273000000000001');
  expect(first[0]).toBe(200);
  expect(await withSeed('1763273000000000001')).toEqual(first);
  expect(await withSeed('1763273000000000002')).not.toEqual(first);
});

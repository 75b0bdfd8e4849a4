import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runConch } from '../support/command.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { post } from '../support/gateway.ts';
import { sample } from '../support/image-fixtures.ts';
import { linkBackends, tritonEnvironment, tritonProgram } from '../support/triton.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-vllm-repository-'));
const repository = join(folder, 'models');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A command that takes nothing for tritonserver is given one that knows the folder of the backends. */
const program = join(folder, 'tritonserver');
const served = ['--model-repository', repository, '--tritonserver', program];

beforeAll(async () => {
  linkBackends(folder);
  writeFileSync(program, `#!/bin/sh\nexec ${tritonProgram()} "$@" --backend-directory=${folder}\n`, { mode: 0o755 });
  const tokenizer = ['--tokenizer', tokenizerFolder('qwen3')];
  const common = ['--repository', repository, '--model', '/nowhere', '--max-model-len', '2048'];
  const init = (...words: string[]) => runConch(['repo', 'init', 'vllm', ...words, ...common]);
  await init('words', ...tokenizer, '--set', 'toy={"images":0}');
  const bare = ['--set', 'toy={"embedding":true}', '--set', 'tokenizer=qwen3', '--no-health-check'];
  await init('vectors', ...bare, '--set', 'structured_outputs_config=null');
});

describe('a vLLM model of a repository on this machine', { timeout: 120_000 }, () => {
  let conch: Conch;
  beforeAll(async () => {
    conch = await startConch({ flags: served, environment: tritonEnvironment(), readyMilliseconds: 100_000 });
  }, 120_000);
  afterAll(() => conch.stop());

  const modelOf = async (name: string) => {
    const response = await fetch(`${conch.url}/v1/models/${name}`);
    const { max_model_len: length, capabilities } = (await response.json()) as Record<string, object>;
    const { chat, images, embedding, completion } = capabilities as Record<string, boolean>;
    return { length, chat, images, embedding, completion };
  };
  const picture = {
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${sample('png').toString('base64')}` },
  };
  const chat = (content: unknown) =>
    post(`${conch.url}/v1/chat/completions`, { model: 'words', messages: [{ role: 'user', content }] });

  it('chats with the template and the context length that its files name', async () => {
    const { status, body } = await chat(directive({ answer: 'from the files' }));
    expect([status, body['choices']]).toMatchObject([200, [{ message: { content: 'from the files' } }]]);
    expect(await modelOf('words')).toEqual({
      length: 2048,
      chat: true,
      images: true,
      embedding: true,
      completion: true,
    });
    const tokens = await post(`${conch.url}/tokenize`, { model: 'words', prompt: 'one two' });
    expect(tokens.body).toMatchObject({ count: 2, max_model_len: 2048 });
  });

  it('refuses at once what its engine has refused before', async () => {
    const content = [{ type: 'text', text: 'What is it?' }, picture];
    const refusals = [await chat(content), await chat(content)];
    expect(refusals.map(({ status, body }) => [status, body.error?.['code'], body.error?.['message']])).toEqual([
      [400, 'invalid_request', 'This model takes no images.'],
      [400, 'unsupported_parameter', 'messages[0].content[1]: the model words takes no images. It accepts only text.'],
    ]);
    const embed = () => post(`${conch.url}/v1/embeddings`, { model: 'words', input: 'a' });
    const messages = [await embed(), await embed()].map(({ status, body }) => [status, body.error?.['message']]);
    expect(messages).toEqual([
      [400, 'This model makes no embeddings.'],
      [400, 'model: words does not create embeddings. It generates text: use POST /v1/chat/completions.'],
    ]);
    expect(await modelOf('words')).toEqual({
      length: 2048,
      chat: true,
      images: false,
      embedding: false,
      completion: true,
    });
  });

  it('that makes embeddings is listed as one once it has said so', async () => {
    const complete = () => post(`${conch.url}/v1/completions`, { model: 'vectors', prompt: 'a' });
    const messages = [await complete(), await complete()].map(({ status, body }) => [status, body.error?.['message']]);
    expect(messages).toEqual([
      [400, 'This model makes embeddings; it does not generate text.'],
      [400, 'model: vectors does not generate text. It creates embeddings: use POST /v1/embeddings.'],
    ]);
    expect((await post(`${conch.url}/v1/embeddings`, { model: 'vectors', input: 'a' })).status).toBe(200);
    expect(await modelOf('vectors')).toEqual({
      length: 2048,
      chat: false,
      images: false,
      embedding: true,
      completion: false,
    });
  });
});

describe('conch doctor --probe', { timeout: 180_000 }, () => {
  it('finds out what each vLLM model does, and names what its files lack', async () => {
    const { stdout, code } = await runConch(['doctor', '--probe', '--json', ...served], tritonEnvironment());
    const { models } = JSON.parse(stdout) as { models: Record<string, unknown>[] };
    expect(models.map(({ model, contract, facts, limits }) => ({ model, contract, facts, limits }))).toEqual([
      {
        model: 'vectors',
        contract: 'embedding',
        facts: { text: 'no', embeddings: 'yes', images: 'no', context: 2048 },
        limits: { context: 2048 },
      },
      {
        model: 'words',
        contract: 'vllm',
        facts: { text: 'yes', embeddings: 'no', images: 'no', context: 2048 },
        limits: { context: 2048 },
      },
    ]);
    const [vectors, words] = models.map(({ remarks }) => remarks as string[]);
    expect(words).toEqual([]);
    expect(vectors).toEqual([
      'No tokenizer, so Conch does not count tokens and rejects token ids. Set --tokenizer vectors=DIR.',
      `"tokenizer" in ${repository}/vectors/1/model.json is "qwen3", which is neither a folder on this machine nor in a cache of the Hugging Face hub.`,
      'structured_outputs_config is missing, so one structured-output request can crash the engine: add "structured_outputs_config": {"backend":"xgrammar","disable_any_whitespace":true} to model.json.',
      'ENABLE_VLLM_HEALTH_CHECK is missing, so Triton reports the model as ready after its engine has failed: add parameters { key: "ENABLE_VLLM_HEALTH_CHECK" value { string_value: "true" } } to config.pbtxt.',
    ]);
    expect(code).toBe(0);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { samplingDefaults } from '../../src/config/model-settings.ts';
import { receivedFor, textsOf, user } from '../gateway/requests.ts';
import { runConch } from '../support/command.ts';
import type { Conch } from '../support/conch.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, llamaTokenizer, post, startGateway } from '../support/gateway.ts';

const defaults = {
  temperature: 0.25,
  top_p: 0.5,
  top_k: 7,
  min_p: 0.125,
  max_tokens: 30,
  min_tokens: 2,
  frequency_penalty: 0.5,
  presence_penalty: -0.5,
  repetition_penalty: 1.5,
  seed: 11,
  stop: ['END'],
  stop_token_ids: [3],
  bad_words: ['no'],
  ignore_eos: true,
  include_stop_str_in_output: true,
  skip_special_tokens: true,
  spaces_between_special_tokens: false,
};
const config = {
  models: {
    'vllm-toy': { defaults: { seed: 5 }, context_length: 9000 },
    'gpt-4o-mini': { serves: 'vllm-toy', defaults, context_length: 2048 },
    short: { serves: 'vllm-toy', defaults: { temperature: 1 } },
    talker: { serves: 'vllm-toy', system: 'Be kind.', defaults: { chat_template_kwargs: { enable_thinking: false } } },
    llama: { serves: 'vllm-toy', tokenizer: tokenizerFolder('llama3'), tool_call_parser: 'none' },
    adapted: { serves: 'vllm-llama' },
    'vllm-2410': { serves: 'vllm-2502' },
  },
};

const folder = mkdtempSync(join(tmpdir(), 'conch-aliases-'));
let conch: Conch;
beforeAll(async () => {
  const file = join(folder, 'conch.json');
  writeFileSync(file, JSON.stringify(config));
  conch = await startGateway(...llamaTokenizer(), '--config', file);
  // The list does not wait for ever for tokenizers that are still being loaded; this does.
  for (const model of Object.keys(config.models)) await post(`${conch.url}/tokenize`, { model, prompt: 'x' });
});
afterAll(async () => {
  await conch.stop();
  rmSync(folder, { recursive: true });
});

const ask = (path: string, body: object) => post(`${conch.url}${path}`, body);
const echo = directive({ echo_parameters: true });
const parameters = async (body: { model: string; [field: string]: unknown }) => {
  const response = await ask('/v1/completions', { prompt: echo, ...body });
  return receivedFor(response)[0]?.sampling_parameters;
};
const prompt = async (body: object): Promise<unknown> => {
  const response = await ask('/apply-template', { messages: user('Hi'), ...body });
  return response.body['prompt'];
};

describe('an alias', () => {
  it('is listed with the model that it serves, and its own context', async () => {
    const { data } = (await (await fetch(`${conch.url}/v1/models`)).json()) as {
      data: { id: string; root: string; parent: string | null; max_model_len: number | null }[];
    };
    const others = data.filter(({ id, root, parent }) => id !== root && parent === null);
    expect(others.map(({ id, root, max_model_len: length }) => [id, root, length])).toEqual([
      ['vllm-2410', 'vllm-2502', 131_072],
      ['gpt-4o-mini', 'vllm-toy', 2048],
      ['short', 'vllm-toy', 9000],
      ['talker', 'vllm-toy', 9000],
      ['llama', 'vllm-toy', 9000],
      ['adapted', 'vllm-llama', null],
    ]);
  });

  it('answers under the name that was asked for, streamed too', async () => {
    const body = { model: 'short', prompt: directive({ answer: 'here' }) };
    const whole = await ask('/v1/completions', body);
    expect([whole.body['model'], textsOf(whole)]).toEqual(['short', ['here']]);
    const { text } = await ask('/v1/completions', { ...body, stream: true });
    const names = eventsOf(text).flatMap((event) => (event === '[DONE]' ? [] : [(event as { model: string }).model]));
    expect(new Set(names)).toEqual(new Set(['short']));
    const chat = await ask('/v1/chat/completions', { model: 'short', messages: user(directive({ answer: 'here' })) });
    expect(chat.body['model']).toBe('short');
  });

  it('has defaults for all sampling fields, then those of its model; a request comes before them', async () => {
    const plain = await parameters({ model: 'vllm-toy', max_tokens: 30 });
    expect(await parameters({ model: 'gpt-4o-mini' })).toEqual({ ...plain, ...defaults });
    expect(await parameters({ model: 'gpt-4o-mini', temperature: 2, stop: 'X', ignore_eos: false })).toEqual({
      ...plain,
      ...defaults,
      temperature: 2,
      stop: ['X'],
      ignore_eos: false,
    });
    expect(await parameters({ model: 'short', max_tokens: 30 })).toEqual({ ...plain, seed: 5, temperature: 1 });
  });

  it('has its own tokenizer, template and parsers', async () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const messages = user('Hi');
    const count = async (model: string) => (await ask('/tokenize', { model, messages })).body['count'];
    expect([await count('vllm-toy'), await count('llama')]).toEqual([9, 11]);
    const ignored = async (model: string) => {
      const { status, headers } = await ask('/v1/chat/completions', { model, messages, tools });
      return [status, headers.get('x-conch-ignored')];
    };
    expect([await ignored('llama'), await ignored('short')]).toEqual([
      [200, 'tools'],
      [200, null],
    ]);
  });

  it('may bring a system message and variables for the template, which a request comes before', async () => {
    const query = '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n';
    const thoughtless = `${query}<think>\n\n</think>\n\n`;
    expect(await prompt({ model: 'short' })).toBe(query);
    expect(await prompt({ model: 'talker' })).toBe(`<|im_start|>system\nBe kind.<|im_end|>\n${thoughtless}`);
    expect(await prompt({ model: 'talker', enable_thinking: true })).toBe(
      `<|im_start|>system\nBe kind.<|im_end|>\n${query}`,
    );
    const messages = [{ role: 'developer', content: 'Be brief.' }, ...user('Hi')];
    expect(await prompt({ model: 'talker', messages })).toBe(`<|im_start|>system\nBe brief.<|im_end|>\n${thoughtless}`);
    const body = { model: 'talker', messages: user(directive({ echo_ids: true })) };
    const { tokens } = (await ask('/tokenize', body)).body;
    expect(JSON.parse(textsOf(await ask('/v1/chat/completions', body))[0] ?? '')).toEqual(tokens);
  });

  it('may have an adapter behind it', async () => {
    expect(await parameters({ model: 'adapted_lora_lora_a' })).toMatchObject({ lora_name: 'lora_a' });
  });

  it('comes before a model of its name, which the table tells', async () => {
    const response = await ask('/v1/completions', { model: 'vllm-2410', prompt: 'x', logprobs: 1 });
    // The model itself gives none.
    expect([response.status, response.body['model']]).toEqual([200, 'vllm-2410']);
    const { models } = await conch.logged(({ message }) => message === 'models');
    const rows = models as { name: string; contract: string; state: string; reason: string }[];
    expect(
      rows
        .filter(({ name }) => name === 'vllm-2410')
        .map(({ contract, state, reason }) => ({ contract, state, reason })),
    ).toEqual([
      { contract: 'vllm', state: 'READY', reason: 'its name is an alias of vllm-2502' },
      { contract: 'vllm', state: 'READY', reason: '' },
    ]);
  });
});

describe('an alias that cannot be', () => {
  it.each([
    ['{serves: a}', 'FILE:1:14: models.a.serves must not be the alias itself. Set a model of the server.'],
    [
      '{serves: b}, b: {serves: c}',
      'FILE:1:14: models.a.serves must be a model of the server, but b is an alias. Set c instead.',
    ],
    ['{serves: b, contract: vllm}', 'models.a.contract: not supported for an alias. Set it for b instead.'],
    [
      '{serves: b, defaults: {logit_bias: {x: 1}}}',
      'FILE:1:49: models.a.defaults.logit_bias.x must have a token id as its key, not 1.',
    ],
    [
      '{serves: b, defaults: {n: 2}}',
      `FILE:1:36: models.a.defaults.n is not a key. The keys are ${Object.keys(samplingDefaults.shape).join(', ')}.`,
    ],
  ])('ends the start: %s', async (model, problem) => {
    const file = join(folder, 'wrong.yaml');
    writeFileSync(file, `models: {a: ${model}}`);
    const { code, stderr } = await runConch(['--config', file, '--check']);
    expect([code, stderr]).toEqual([2, `conch: ${problem.replace('FILE', file)}\n`]);
  });
});

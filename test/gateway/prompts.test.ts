import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Conch, startConch } from '../support/conch.ts';
import { inRoot, type TokenizerName, tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { llamaTokenizer, post, startGateway } from '../support/gateway.ts';
import { askPython } from '../templates/python.ts';
import { receivedFor, textsOf, user } from './requests.ts';

const echoIds = directive({ echo_ids: true });
const echoParameters = directive({ echo_parameters: true });
const triton = `127.0.0.1:${inject('triton').grpcPort}`;

const chat = (conch: Conch, body: object) => post(`${conch.url}/v1/chat/completions`, body);

describe('the prompt of a model', () => {
  let conch: Conch;
  beforeAll(async () => {
    conch = await startGateway(...llamaTokenizer(), '--tokenizer', `vllm-bos=${tokenizerFolder('llama3_2')}`);
  });
  afterAll(() => conch.stop());

  const messages = [
    { role: 'developer', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hello' },
        { type: 'text', text: echoIds },
      ],
    },
  ];
  const prefilled = [...messages, { role: 'assistant', content: 'It is' }];
  const models: [model: string, family: TokenizerName, variables: object][] = [
    ['vllm-toy', 'qwen3', {}],
    ['vllm-llama', 'llama3', {}],
    ['vllm-bos', 'llama3_2', { date_string: '1 April 2025' }],
  ];
  const wishes: { messages?: object[]; [field: string]: unknown }[] = [
    { add_generation_prompt: true },
    { add_generation_prompt: false },
    { messages: prefilled, continue_final_message: true },
  ];
  const cases = wishes.flatMap((option) =>
    models.map(([model, family, variables]) => ({
      family: { family, folder: tokenizerFolder(family) },
      requested: { messages, ...option } as Record<string, unknown>,
      model,
      variables,
    })),
  );

  it('is what its own template gives, token by token and with one BOS', async () => {
    const texts = await askPython(
      cases.map(({ family, requested, variables }) => ({ ...family, ...requested, variables })),
    );
    const ids = await askPython(
      texts.map(({ text }, at) => ({ ...cases[at]?.family, text, add_special_tokens: false })),
    );
    const responses = await Promise.all(
      cases.map(({ model, requested, variables }) =>
        chat(conch, { model, ...requested, chat_template_kwargs: variables }),
      ),
    );
    expect(responses.map((response) => JSON.parse(textsOf(response)[0] ?? ''))).toEqual(ids.map((one) => one.ids));
    // The template of Llama 3 opens an answer whether it is asked to or not.
    const ignored = cases.map(({ model, requested }) =>
      model === 'vllm-llama' && requested['add_generation_prompt'] === false ? 'add_generation_prompt' : null,
    );
    expect(responses.map(({ headers }) => headers.get('x-conch-ignored'))).toEqual(ignored);
  });

  it('has the same ids for system and developer where the template knows no developer', async () => {
    const [asSystem, asDeveloper] = await Promise.all(
      ['system', 'developer'].map((role) =>
        chat(conch, { model: 'vllm-toy', messages: [{ role, content: 'Be brief.' }, ...user(echoIds)] }),
      ),
    );
    if (!asSystem || !asDeveloper) throw new Error('No answer came');
    expect(textsOf(asSystem)).toEqual(textsOf(asDeveloper));
  });

  it('is changed by chat_template_kwargs; a variable that the template never reads is named', async () => {
    const ids = async (chat_template_kwargs: object) => {
      const response = await chat(conch, { model: 'vllm-toy', messages: user(echoIds), chat_template_kwargs });
      return { ids: JSON.parse(textsOf(response)[0] ?? ''), ignored: response.headers.get('x-conch-ignored') };
    };
    const usual = await ids({});
    const thoughtless = await ids({ enable_thinking: false });
    // <think>, two line ends, </think>, two line ends
    expect(thoughtless).toEqual({ ids: [...usual.ids, 151667, 271, 151668, 271], ignored: null });
    expect(await ids({ mood: 'good' })).toEqual({ ids: usual.ids, ignored: 'chat_template_kwargs.mood' });
  });

  it('names documents when the template never reads them', async () => {
    const response = await chat(conch, { model: 'vllm-toy', messages: user('x'), documents: [{ title: 'Tea' }] });
    expect([response.status, response.headers.get('x-conch-ignored')]).toEqual([200, 'documents']);
  });

  it('names reasoning_effort and verbosity where the template reads neither', async () => {
    const hints = { reasoning_effort: 'low', verbosity: 'high' };
    const response = await chat(conch, { model: 'vllm-toy', messages: user('x'), ...hints });
    expect([response.status, response.headers.get('x-conch-ignored')]).toEqual([200, 'reasoning_effort, verbosity']);
  });

  it.each([
    [
      [
        { type: 'text', text: 'x' },
        { type: 'input_audio', input_audio: {} },
      ],
      'messages[0].content[1]',
      'messages[0].content[1]: content parts of type "input_audio" are not supported; send text.',
    ],
  ])('is made of text and images, so other parts are refused: %j', async (content, param, message) => {
    const { status, body } = await chat(conch, { model: 'vllm-toy', messages: [{ role: 'user', content }] });
    expect([status, body]).toEqual([
      400,
      { error: { message, type: 'invalid_request_error', param, code: 'unsupported_parameter' } },
    ]);
  });
});

describe('without a chat template', () => {
  const start = (...flags: string[]) => startConch({ flags: ['--triton', triton, ...flags] });

  it('a chat is a 400 that names the flags, while completions work and are counted', async () => {
    const conch = await start();
    try {
      const { status, body } = await chat(conch, { model: 'vllm-toy', messages: user('x') });
      expect([status, body]).toEqual([
        400,
        {
          error: {
            message:
              'The model vllm-toy has no chat template. Start Conch with --tokenizer vllm-toy=DIR (a folder with ' +
              'tokenizer_config.json), --chat-template vllm-toy=FILE or --history-template, or use /v1/completions.',
            type: 'invalid_request_error',
            param: 'messages',
            code: 'invalid_request',
          },
        },
      ]);
      const prompt = directive({ answer: 'one two' });
      const counted = await post(`${conch.url}/v1/completions`, { model: 'vllm-toy', prompt });
      expect(counted.body).toMatchObject({
        choices: [{ text: 'one two', finish_reason: 'stop' }],
        usage: { prompt_tokens: 8, completion_tokens: 3, total_tokens: 11 },
      });
      const unlimited = await post(`${conch.url}/v1/completions`, { model: 'vllm-toy', prompt: echoParameters });
      expect(receivedFor(unlimited)[0]?.sampling_parameters).toEqual({ max_tokens: 1_000_000 });
    } finally {
      await conch.stop();
    }
  });

  it('--history-template is a Liquid template over the messages', async () => {
    const template = '{% for item in items %}[{{ item.identity }}] {{ item.content }} {% endfor %}[Assistant]';
    const conch = await start('--history-template', template);
    try {
      const messages = [{ role: 'system', content: 'Be brief.' }, ...user(echoParameters)];
      const response = await chat(conch, { model: 'vllm-toy', messages, add_generation_prompt: false });
      expect(receivedFor(response)[0]?.inputs['text_input']).toEqual([
        `[System] Be brief. [User] ${echoParameters} [Assistant]`,
      ]);
      expect(response.headers.get('x-conch-ignored')).toBe('add_generation_prompt');
    } finally {
      await conch.stop();
    }
  });
});

describe('a config file', () => {
  let conch: Conch;
  const folder = mkdtempSync(join(tmpdir(), 'conch-prompts-'));
  const loud = join(folder, 'loud.jinja');
  const config = join(folder, 'conch.yaml');
  beforeAll(async () => {
    writeFileSync(loud, '{% for message in messages %}LOUD {{ message.content }}{% endfor %}');
    writeFileSync(
      config,
      `models:
  gpt-4o-mini: {serves: vllm-toy, defaults: {temperature: 0.2, stop: [END], max_tokens: 300}}
  org/loud: {serves: vllm-toy, chat_template: ${JSON.stringify(loud)}, context_length: 2048}
  nothing: {serves: no-such-model}
`,
    );
    const flags = ['--triton', triton, '--config', config, '--chat-template', inRoot('test/gateway/plain.jinja')];
    conch = await startConch({ flags });
  });
  afterAll(async () => {
    await conch.stop();
    rmSync(folder, { recursive: true });
  });

  const received = async (body: object) =>
    receivedFor(await chat(conch, { messages: user(echoParameters), ...body }))[0];

  it('gives a model another name with defaults of its own, which a request overrides', async () => {
    const defaults = { temperature: 0.2, stop: ['END'], max_tokens: 300 };
    expect((await received({ model: 'gpt-4o-mini' }))?.sampling_parameters).toEqual(defaults);
    const own = { model: 'gpt-4o-mini', temperature: 0, stop: 'X', max_completion_tokens: 400 };
    expect((await received(own))?.sampling_parameters).toEqual({ temperature: 0, stop: ['X'], max_tokens: 400 });
    expect((await received({ model: 'vllm-toy' }))?.sampling_parameters).toEqual({ max_tokens: 1_000_000 });
    const { body } = await chat(conch, { model: 'gpt-4o-mini', messages: user('x') });
    expect(body['model']).toBe('gpt-4o-mini');
  });

  it('gives a model a template and a context length of its own', async () => {
    const { inputs, sampling_parameters } = (await received({ model: 'org/loud' })) ?? {};
    expect(inputs?.['text_input']).toEqual([`LOUD ${echoParameters}`]);
    expect(sampling_parameters).toEqual({ max_tokens: 2048 });
    expect((await received({ model: 'vllm-toy' }))?.inputs['text_input']).toEqual([
      `user: ${echoParameters}\nassistant:`,
    ]);
  });

  it('may name a model that no server has: it is not found', async () => {
    const { status, body } = await chat(conch, { model: 'nothing', messages: user('x') });
    expect([status, body.error]).toEqual([
      404,
      {
        message: expect.stringMatching(/^The model "nothing" does not exist\. Available models: .+\.$/),
        type: 'invalid_request_error',
        param: 'model',
        code: 'model_not_found',
      },
    ]);
  });
});

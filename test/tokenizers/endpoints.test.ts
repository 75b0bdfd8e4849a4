import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Conch, startConch } from '../support/conch.ts';
import { type TokenizerName, tokenizerFolder } from '../support/environment.ts';
import { post, type Response, startGateway } from '../support/gateway.ts';
import { askPython, type PythonResponse } from '../templates/python.ts';
import { texts } from './samples.ts';

const families: readonly TokenizerName[] = [
  'llama2',
  'llama3',
  'llama3_2',
  'qwen3',
  'gemma3',
  'mistral_nemo',
  'deepseek_v3',
];
const folder = mkdtempSync(join(tmpdir(), 'conch-tokenize-'));
let conch: Conch;
beforeAll(async () => {
  const config = join(folder, 'conch.json');
  const models = Object.fromEntries(
    families.map((name) => [
      name,
      { serves: 'vllm-toy', tokenizer: tokenizerFolder(name), context_length: 4096, image_placeholder: '<pic {n}>' },
    ]),
  );
  writeFileSync(config, JSON.stringify({ models }));
  conch = await startGateway('--config', config);
});
afterAll(async () => {
  await conch.stop();
  rmSync(folder, { recursive: true });
});

const ask = (path: string, body: object): Promise<Response> => post(`${conch.url}${path}`, body);
const tokenize = (body: object): Promise<Response> => ask('/tokenize', body);
const tokensOf = ({ body }: Response): number[] => body['tokens'] as number[];
const seen = ({ status, body, headers }: Response) => ({ status, body, ignored: headers.get('x-conch-ignored') });
const fine = (body: object, ignored: string | null = null) => ({ status: 200, body, ignored });

const jobsOf = (family: TokenizerName) =>
  texts.flatMap((text) =>
    [true, false]
      // transformers 4 and 5 disagree on DeepSeek's BOS: docs/decisions/bos-detection.md
      .filter((add) => !add || family !== 'deepseek_v3')
      .map((add) => ({ text, folder: tokenizerFolder(family), add_special_tokens: add, tokens: true })),
  );

/** What a tokenizer keeps of a text: some bring characters into another form, or write spaces with one of them. */
const stored: Partial<Record<TokenizerName, (text: string) => string>> = {
  llama2: (text) => text.replaceAll('▁', ' '),
  gemma3: (text) => text.replaceAll('▁', ' '),
  qwen3: (text) => text.normalize('NFC'),
};

describe('the tokens of a text', () => {
  let theirs: Map<TokenizerName, PythonResponse[]>;
  beforeAll(async () => {
    const responses = await askPython(families.flatMap(jobsOf));
    theirs = new Map(families.map((family) => [family, responses.splice(0, jobsOf(family).length)]));
  });

  it.each(families)('are those of transformers, and become the text again: %s', async (family) => {
    for (const [at, { text, add_special_tokens }] of jobsOf(family).entries()) {
      const response = await tokenize({ model: family, prompt: text, add_special_tokens, return_token_strs: true });
      const { ids = [], tokens } = theirs.get(family)?.[at] ?? {};
      expect(seen(response)).toEqual(fine({ count: ids.length, max_model_len: 4096, tokens: ids, token_strs: tokens }));
      if (add_special_tokens) continue;
      const back = await ask('/detokenize', { model: family, tokens: ids });
      expect(seen(back)).toEqual(fine({ prompt: stored[family]?.(text) ?? text }));
    }
  });

  it('have the BOS that the server puts in front, and none where the request says so', async () => {
    const usual = await tokenize({ model: 'llama3_2', prompt: 'Hello' });
    expect(usual.body).toEqual({ count: 2, max_model_len: 4096, tokens: [128000, 9906], token_strs: null });
    const bare = await tokenize({ model: 'llama3_2', prompt: 'Hello', add_special_tokens: false });
    expect(tokensOf(bare)).toEqual([9906]);
    const text = await ask('/detokenize', { model: 'llama3_2', tokens: [128000, 9906] });
    expect(text.body).toEqual({ prompt: '<|begin_of_text|>Hello' });
  });

  it('may be none', async () => {
    const none = await tokenize({ model: 'qwen3', prompt: '' });
    expect(seen(none)).toEqual(fine({ count: 0, max_model_len: 4096, tokens: [], token_strs: null }));
    expect(seen(await ask('/detokenize', { model: 'qwen3', tokens: [] }))).toEqual(fine({ prompt: '' }));
  });

  it('are the same under /v1, and fields of a conversation beside a prompt are named', async () => {
    const body = { model: 'qwen3', prompt: 'Hello', add_generation_prompt: true, colour: 'blue' };
    const responses = [await tokenize(body), await ask('/v1/tokenize', body)].map(seen);
    const expected = fine(
      { count: 1, max_model_len: 4096, tokens: [9707], token_strs: null },
      'colour, add_generation_prompt',
    );
    expect(responses).toEqual([expected, expected]);
    expect((await ask('/v1/detokenize', { model: 'qwen3', tokens: [9707] })).body).toEqual({ prompt: 'Hello' });
  });
});

describe('the tokens of a conversation', () => {
  const weather = {
    type: 'function',
    function: {
      name: 'weather',
      description: 'Tells the weather.',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  };
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'How is 東京 today?' },
  ];
  const variables = { date_string: '1 April 2025' };
  const wishes: readonly { messages: object[]; tools?: object[]; [field: string]: unknown }[] = [
    { messages, add_generation_prompt: true },
    { messages, add_generation_prompt: false },
    { messages: [...messages, { role: 'assistant', content: 'It is' }], continue_final_message: true },
    { messages, tools: [weather], add_generation_prompt: true },
  ];
  const takesTools = (family: TokenizerName) => !['llama2', 'llama3', 'gemma3', 'deepseek_v3'].includes(family);
  const templated = families.filter((family) => {
    const config = readFileSync(join(tokenizerFolder(family), 'tokenizer_config.json'), 'utf8');
    return config.includes('"chat_template"');
  });

  it('are those of its template in transformers, as is the prompt', async () => {
    const cases = templated.flatMap((family) =>
      wishes.filter(({ tools }) => !tools || takesTools(family)).map((option) => ({ family, option })),
    );
    const locate = (family: TokenizerName) => ({ family, folder: tokenizerFolder(family) });
    const prompts = await askPython(cases.map(({ family, option }) => ({ ...locate(family), ...option, variables })));
    const ids = await askPython(
      cases.map(({ family }, at) => ({ ...locate(family), text: prompts[at]?.text, add_special_tokens: false })),
    );
    for (const [at, { family, option }] of cases.entries()) {
      const body = { model: family, ...option, chat_template_kwargs: variables };
      const response = await tokenize(body);
      expect({ family, option, status: response.status, tokens: tokensOf(response) }).toEqual({
        family,
        option,
        status: 200,
        tokens: ids[at]?.ids,
      });
      const bare = await tokenize({ ...body, add_special_tokens: false });
      expect(tokensOf(bare)).toEqual(ids[at]?.ids);
      // What is sent to the model leaves out the BOS that its server puts in front.
      const { body: applied } = await ask('/apply-template', body);
      expect(String(prompts[at]?.text).endsWith(String(applied['prompt']))).toBe(true);
      expect(tokensOf(await tokenize({ model: family, prompt: applied['prompt'] }))).toEqual(ids[at]?.ids);
    }
  }, 120_000);

  it('have the placeholder of an image in its place, and nothing is fetched', async () => {
    const image = { type: 'image_url', image_url: { url: 'http://127.0.0.1:1/no.png' } };
    const content = [{ type: 'text', text: 'Look:' }, image, image];
    const body = { model: 'qwen3', messages: [{ role: 'user', content }] };
    const applied = await ask('/v1/apply-template', body);
    expect(seen(applied)).toEqual(
      fine({ prompt: '<|im_start|>user\nLook:\n<pic 1>\n<pic 2><|im_end|>\n<|im_start|>assistant\n' }),
    );
    const direct = await tokenize(body);
    expect(tokensOf(direct)).toEqual(tokensOf(await tokenize({ model: 'qwen3', prompt: applied.body['prompt'] })));
  });
});

describe('a wrong request', () => {
  const refusal = (status: number, code: string, param: string, message: string) => ({
    status,
    body: { error: { message, type: 'invalid_request_error', param, code } },
    ignored: null,
  });
  const invalid = (param: string, message: string) => refusal(400, 'invalid_request', param, message);
  const model = 'qwen3';
  const messages = [{ role: 'user', content: 'x' }];

  it.each<[string, object, object]>([
    ['/tokenize', { model }, invalid('prompt', 'The field prompt or messages is required.')],
    [
      '/tokenize',
      { model, prompt: 'a', messages },
      invalid('prompt', 'prompt: cannot be combined with messages. Send only one of them.'),
    ],
    ['/tokenize', { model, prompt: ['a'] }, invalid('prompt', 'prompt: must be a string.')],
    ['/tokenize', { prompt: 'a' }, invalid('model', 'The field model is required.')],
    [
      '/tokenize',
      { model: 'nobody', prompt: 'a' },
      refusal(
        404,
        'model_not_found',
        'model',
        expect.stringMatching(/^The model "nobody" does not exist\. Available models: .+\.$/),
      ),
    ],
    [
      '/tokenize',
      { model, messages, continue_final_message: true, add_generation_prompt: true },
      invalid('continue_final_message', 'continue_final_message: cannot be true if add_generation_prompt is true.'),
    ],
    [
      '/tokenize',
      { model, messages, chat_template: '{{ messages }}' },
      refusal(
        400,
        'unsupported_parameter',
        'chat_template',
        'chat_template: requests cannot set the chat template; it comes with the model or from --chat-template.',
      ),
    ],
    ['/detokenize', { model }, invalid('tokens', 'The field tokens is required.')],
    ['/detokenize', { model, tokens: 'x' }, invalid('tokens', 'tokens: must be an array of token ids.')],
    [
      '/detokenize',
      { model, tokens: [1, -2] },
      invalid('tokens[1]', 'tokens[1]: must be a token id: an integer of at least 0.'),
    ],
    [
      '/detokenize',
      { model, tokens: [1, 2.5] },
      invalid('tokens[1]', 'tokens[1]: must be a token id: an integer of at least 0.'),
    ],
    [
      '/detokenize',
      { model, tokens: [1, 151_669, 2 ** 32 + 1, 151_669] },
      invalid('tokens', "tokens: not in this model's vocabulary of 151669 tokens: 151669, 4294967297."),
    ],
    [
      '/detokenize',
      { model, tokens: Array.from({ length: 1_000_001 }, () => 1) },
      invalid('tokens', 'tokens: must have at most 1000000 token ids, not 1000001.'),
    ],
    [
      '/apply-template',
      { model, prompt: 'x', messages },
      refusal(
        400,
        'unsupported_parameter',
        'prompt',
        'prompt: chat templates apply only to messages; send messages instead.',
      ),
    ],
    ['/apply-template', { model, messages: [] }, invalid('messages', 'messages: must have at least 1 entry.')],
    [
      '/apply-template',
      { model: 'llama3', messages, tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: 'required' },
      refusal(
        400,
        'unsupported_parameter',
        'tools',
        "tools: not supported by this model's chat template. Start Conch with --tool-prompt llama3=default.",
      ),
    ],
  ])('is refused by name: %s', async (path, body, expected) => {
    expect(seen(await ask(path, body))).toEqual(expected);
  });

  it('names the flag that a model without a tokenizer needs, and with --strict-fields a field that nobody knows', async () => {
    const other = await startConch({
      flags: ['--triton', `127.0.0.1:${inject('triton').grpcPort}`, '--strict-fields'],
    });
    try {
      const plain = { model: 'vllm-toy', prompt: 'a' };
      const needed = 'model: no tokenizer is set for vllm-toy; start Conch with --tokenizer vllm-toy=DIR.';
      expect(seen(await post(`${other.url}/tokenize`, plain))).toEqual(
        refusal(400, 'unsupported_parameter', 'model', needed),
      );
      expect(seen(await post(`${other.url}/detokenize`, { model: 'vllm-toy', tokens: [1] }))).toEqual(
        refusal(400, 'unsupported_parameter', 'model', needed),
      );
      const unknown = await post(`${other.url}/tokenize`, { ...plain, colour: 'blue' });
      expect(seen(unknown)).toEqual(refusal(400, 'unknown_field', 'colour', 'colour: unknown field. Remove it.'));
    } finally {
      await other.stop();
    }
  });
});

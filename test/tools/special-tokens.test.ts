import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findToolFormat } from '../../src/output/tools/formats.ts';
import { user } from '../gateway/requests.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { gatewayFlags, startGateway } from '../support/gateway.ts';
import { tokenizerWith } from '../support/tool-tokenizer.ts';
import { anyId, ask, called, choiceWith, samplingIn, tools } from './requests.ts';

const weather = '{"city": "Bern"}';
const nineId: unknown = expect.stringMatching(/^[a-zA-Z0-9]{9}$/);

/** A tokenizer in which the markers of a format are special tokens, as they are in the family's own. */
const tokenizerFor = (format: string) => tokenizerWith(findToolFormat(format)?.specialMarkers ?? []);
const kimi = tokenizerFor('kimi_k2');
const harmony = tokenizerFor('gpt-oss');
afterAll(() => {
  kimi.remove();
  harmony.remove();
});

/** What else the model writes in special tokens of the tokenizer that it is served with. */
const families = [
  {
    family: 'mistral',
    model: 'vllm-toy',
    flags: ['--tool-call-parser', 'vllm-toy=mistral'],
    response: `<|object_ref_start|>So.[TOOL_CALLS][{"name": "get_weather", "arguments": ${weather}}]<|object_ref_end|>`,
    content: 'So.',
    last: '<|object_ref_end|>',
    id: nineId,
  },
  {
    family: 'mistral, whose marker is a special token of its tokenizer',
    model: 'vllm-bos',
    flags: ['--tokenizer', `vllm-bos=${tokenizerFolder('mistral_nemo')}`],
    response: `[PREFIX]So.[TOOL_CALLS][{"name": "get_weather", "arguments": ${weather}}][SUFFIX]`,
    content: 'So.',
    last: '[SUFFIX]',
    id: nineId,
  },
  {
    family: 'deepseek_v3',
    model: 'vllm-toy',
    flags: ['--tool-call-parser', 'vllm-toy=deepseek_v3'],
    response:
      'So.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n' +
      `${weather}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜><|object_ref_end|>`,
    content: 'So.',
    last: '<|object_ref_end|>',
    id: anyId,
  },
  {
    family: 'llama3_json, whose tag is a special token of its tokenizer',
    model: 'vllm-bos',
    // The name that Triton's own frontend has for it.
    flags: ['--tokenizer', `vllm-bos=${tokenizerFolder('llama3_2')}`, '--tool-call-parser', 'vllm-bos=llama3'],
    response: `<|reserved_special_token_3|><|python_tag|>{"name": "get_weather", "parameters": ${weather}}<|eom_id|>`,
    content: null,
    last: '<|eom_id|>',
    id: anyId,
  },
  {
    family: 'kimi_k2, whose markers are special tokens of its tokenizer',
    model: 'vllm-bos',
    flags: ['--tokenizer', `vllm-bos=${kimi.folder}`, '--tool-call-parser', 'vllm-bos=kimi_k2'],
    response:
      'So.<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>' +
      `${weather}<|tool_call_end|><|tool_calls_section_end|><|object_ref_end|>`,
    content: 'So.',
    last: '<|object_ref_end|>',
    id: 'functions.get_weather:0',
  },
  {
    family: 'gpt-oss, whose markers are special tokens of its tokenizer',
    model: 'vllm-bos',
    flags: [
      '--tokenizer',
      `vllm-bos=${harmony.folder}`,
      '--tool-call-parser',
      'vllm-bos=gpt-oss',
      '--reasoning-parser',
      'vllm-bos=none',
    ],
    response:
      '<|channel|>commentary<|message|>So.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather ' +
      `<|constrain|>json<|message|>${weather}<|call|><|object_ref_end|>`,
    content: 'So.',
    last: '<|object_ref_end|>',
    id: anyId,
  },
] as const;

describe.each(families)('calls in special tokens: $family', ({ model, flags, response, content, last, id }) => {
  let conch: Conch;
  beforeAll(async () => {
    conch = await startGateway(...flags);
  });
  afterAll(() => conch.stop());

  it.each([false, true])('are read, and the other special tokens are taken out (stream %s)', async (stream) => {
    const { choices } = await ask(conch.url, { model, messages: user(directive({ answer: response })), tools, stream });
    expect(choices).toEqual([choiceWith({ content, calls: [called('get_weather', weather, id)] })]);
  });

  it('are kept by the backend only where they are looked for', async () => {
    const messages = user(directive({ echo_parameters: true }));
    const store = async (more: object): Promise<unknown> => {
      const { choices } = await ask(conch.url, { model, messages, ...more });
      return samplingIn(choices[0])['skip_special_tokens'];
    };
    expect(await store({ tools })).toBe(false);
    expect(await store({ tools, tool_choice: 'none' })).toBeUndefined();
    expect(await store({})).toBeUndefined();
  });

  it('stay where the request wants to see them all', async () => {
    const body = { model, messages: user(directive({ answer: response })), tools, skip_special_tokens: false };
    const { choices } = await ask(conch.url, body);
    const text = String(choices[0]?.message['content']);
    expect(text.endsWith(last)).toBe(true);
    expect(choices[0]?.message['tool_calls']).toEqual([called('get_weather', weather, id)]);
  });
});

describe('a model whose parsers are turned off', () => {
  it('refuses tools by name, and gives all as text', async () => {
    const conch = await startConch({
      flags: [...gatewayFlags(), '--tool-call-parser', 'none', '--reasoning-parser', 'none'],
    });
    try {
      const response = '<think>\nx\n</think>\n\ny';
      const { choices } = await ask(conch.url, { messages: user(directive({ answer: response })) });
      expect(choices).toEqual([choiceWith({ content: response })]);
      await expect(ask(conch.url, { messages: user('x'), tools })).rejects.toThrow(
        'tools: no tool parser is known for this model. Start Conch with --tool-call-parser vllm-toy=NAME.',
      );
    } finally {
      await conch.stop();
    }
  });
});

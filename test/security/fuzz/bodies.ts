/** A request that is answered well, to begin with. */
export interface Target {
  readonly port: 'openai' | 'kserve';
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const model = 'vllm-toy';
const schema = {
  type: 'object',
  properties: { a: { type: 'string', pattern: '^x+$' }, b: { type: 'integer', minimum: 1 } },
  required: ['a'],
};
const tool = { type: 'function', function: { name: 'look', description: 'Looks.', parameters: schema } };
const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"a": "x"}' } };
const short = { model, max_tokens: 4 };

const chats = [
  {
    ...short,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    ],
    temperature: 0.5,
    top_p: 0.9,
    seed: 7,
    stop: ['END', '\n\n'],
    n: 2,
    user: 'me',
    metadata: { a: 'b' },
  },
  {
    ...short,
    model: 'vllm-llama',
    messages: [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'seen' },
    ],
    tools: [tool],
    tool_choice: 'auto',
    chat_template_kwargs: { enable_thinking: false, date: ['a', { b: 1 }] },
    logprobs: true,
    top_logprobs: 2,
  },
  {
    ...short,
    messages: [{ role: 'user', content: 'As JSON' }],
    response_format: { type: 'json_schema', json_schema: { name: 'form', schema, strict: true } },
    stream: true,
    stream_options: { include_usage: true },
  },
  {
    ...short,
    messages: [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }] },
    ],
    guided_regex: '[a-z]{1,4}',
    documents: [{ title: 't', text: 'x' }],
    bad_words: ['no'],
    stop_token_ids: [1, 2],
    min_tokens: 1,
    repetition_penalty: 1.1,
  },
];

const completions = [
  { ...short, prompt: ['One', 'Two'], n: 1, best_of: 1, echo: true, logit_bias: {}, presence_penalty: 0.1 },
  { ...short, prompt: [1, 2, 3], stream: true, structured_outputs: { choice: ['a', 'b'] } },
];

const responses = [
  {
    model,
    max_output_tokens: 4,
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
      { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'seen' },
    ],
    text: { format: { type: 'json_schema', name: 'form', schema } },
    reasoning: { summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    metadata: {},
    store: true,
  },
  { model, max_output_tokens: 4, input: 'Hi', stream: true, store: false, truncation: 'auto' },
];

const messages = {
  model,
  max_tokens: 4,
  system: [{ type: 'text', text: 'Be brief.' }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'look', input: { a: 'x' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'seen' }] },
  ],
  tools: [{ name: 'look', input_schema: schema }],
  stop_sequences: ['END'],
  thinking: { type: 'disabled' },
};

const contents = {
  system_instruction: { parts: { text: 'Be brief.' } },
  contents: [
    { role: 'user', parts: [{ text: 'Look.' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }] },
    {
      role: 'model',
      parts: [
        { text: 'Hm.', thought: true },
        { functionCall: { name: 'look', args: { a: 'x' } }, thoughtSignature: 'Y29uY2guSG0u' },
      ],
    },
    { role: 'user', parts: [{ functionResponse: { name: 'look', response: { output: 'seen' } } }] },
  ],
  tools: [
    { googleSearch: {} },
    {
      functionDeclarations: [
        { name: 'look', parameters: { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } } },
        { name: 'see', parametersJsonSchema: schema },
      ],
    },
  ],
  toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['look'] } },
  generationConfig: {
    maxOutputTokens: 4,
    stopSequences: ['END'],
    candidateCount: 2,
    thinkingConfig: { thinkingBudget: 0 },
  },
  safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
};

const ollamaChat = {
  model,
  stream: false,
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: '', tool_calls: [{ function: { name: 'look', arguments: { a: 'x' } } }] },
    { role: 'tool', tool_name: 'look', content: 'seen' },
  ],
  tools: [{ type: 'function', function: { name: 'look', parameters: schema } }],
  options: { num_predict: 4, temperature: 0.5, stop: ['END'], num_ctx: 100 },
  keep_alive: '5m',
  think: false,
};
const ollamaPrompt = { model, prompt: 'Hi', system: 'Be brief.', raw: false, options: { num_predict: 4 } };

const tensors = {
  id: '1',
  inputs: [{ name: 'INPUT', shape: [1], datatype: 'INT32', data: [1] }],
  outputs: [{ name: 'OUTPUT', parameters: { binary_data: false } }],
  parameters: { priority: 0 },
};

const openai = (method: string, path: string, body?: unknown): Target => ({
  port: 'openai',
  method,
  path,
  ...(body === undefined ? {} : { body }),
});
const kserve = (method: string, path: string, body?: unknown): Target => ({
  ...openai(method, path, body),
  port: 'kserve',
});

/** Where everything goes. What would change the tritonserver that other tests share names models that do not exist. */
export const targets: readonly Target[] = [
  ...chats.map((body) => openai('POST', '/v1/chat/completions', body)),
  ...chats.map((body) => openai('POST', '/v1/chat/completions', body)),
  ...completions.map((body) => openai('POST', '/v1/completions', body)),
  ...responses.map((body) => openai('POST', '/v1/responses', body)),
  ...responses.map((body) => openai('POST', '/v1/responses/input_tokens', body)),
  openai('GET', '/v1/responses/resp_1?stream=true&starting_after=1'),
  openai('DELETE', '/v1/responses/resp_1'),
  openai('POST', '/v1/responses/resp_1/cancel', {}),
  openai('GET', '/v1/responses/resp_1/input_items?limit=2&order=asc&after=x'),
  openai('POST', '/v1/messages', messages),
  openai('POST', '/v1/messages/count_tokens', messages),
  ...['generateContent', 'streamGenerateContent?alt=sse', 'streamGenerateContent', 'countTokens'].map((method) =>
    openai('POST', `/v1beta/models/${model}:${method}`, contents),
  ),
  openai('POST', '/v1beta/models/vllm-embed:embedContent', { content: { parts: { text: 'a' } }, task_type: 'X' }),
  openai('POST', '/v1beta/models/vllm-embed:batchEmbedContents', {
    requests: [{ model: 'models/vllm-embed', content: { parts: [{ text: 'a' }] }, outputDimensionality: 2 }],
  }),
  openai('GET', '/v1beta/models?pageSize=2&pageToken=1'),
  openai('GET', `/v1beta/models/${model}`),
  openai('POST', '/api/chat', ollamaChat),
  openai('POST', '/api/generate', ollamaPrompt),
  openai('POST', '/api/embed', { model: 'vllm-embed', input: ['a', 'b'], truncate: true, dimensions: 2 }),
  openai('POST', '/api/show', { model }),
  openai('GET', '/api/tags'),
  openai('POST', '/v1/embeddings', {
    model: 'vllm-embed',
    input: ['a', 'b'],
    dimensions: 2,
    encoding_format: 'base64',
  }),
  openai('POST', '/v1/rerank', { model: 'vllm-embed', query: 'a', documents: ['b', { text: 'c' }], top_n: 1 }),
  openai('POST', '/v2/rerank', { model: 'nowhere', query: 'a', documents: ['b'], return_documents: true }),
  openai('POST', '/rerank', { model: 'nowhere', query: 'a', documents: ['b'], max_tokens_per_doc: 1 }),
  ...['', '/v1'].flatMap((prefix) => [
    openai('POST', `${prefix}/classify`, { model: 'vllm-embed', input: ['a', 'b'], use_activation: true }),
    openai('POST', `${prefix}/score`, { model: 'vllm-embed', text_1: 'a', text_2: ['b', 'c'], priority: 0 }),
    openai('POST', `${prefix}/tokenize`, {
      model,
      messages: chats[0]?.messages,
      tools: [tool],
      return_token_strs: true,
    }),
    openai('POST', `${prefix}/tokenize`, { model, prompt: 'Hello there', add_special_tokens: true }),
    openai('POST', `${prefix}/detokenize`, { model, tokens: [1, 2, 3] }),
    openai('POST', `${prefix}/apply-template`, { model, messages: chats[1]?.messages, tools: [tool] }),
  ]),
  openai('GET', '/v1/models'),
  openai('POST', '/models', {}),
  openai('GET', '/v1/models/vllm-toy'),
  openai('POST', '/v1/models/nowhere/load?stream=false', {}),
  openai('POST', '/models/nowhere/unload', {}),
  openai('POST', '/v1/load_lora_adapter', { lora_name: 'a', lora_path: 'b', load_inplace: false }),
  openai('POST', '/v1/unload_lora_adapter', { lora_name: 'a', model: 'nowhere' }),
  openai('GET', '/health/ready'),
  openai('GET', '/health/live'),
  openai('GET', '/health'),
  openai('GET', '/openapi.json'),
  openai('GET', '/docs'),
  kserve('POST', '/v2/models/add-one/infer', tensors),
  kserve('POST', '/v2/models/add-one/versions/1/infer', tensors),
  kserve('POST', '/v2/models/nowhere/generate', { text_input: 'a', parameters: { stream: false } }),
  kserve('POST', '/v2/models/nowhere/generate_stream', { text_input: 'a', parameters: { stream: true } }),
  kserve('GET', '/v2'),
  kserve('GET', '/v2/health/ready'),
  kserve('GET', '/v2/models/add-one'),
  kserve('GET', '/v2/models/add-one/config'),
  kserve('GET', '/v2/models/add-one/stats'),
  kserve('POST', '/v2/repository/index', { ready: true }),
  kserve('POST', '/v2/repository/models/nowhere/load', { parameters: { config: '{}' } }),
  kserve('POST', '/v2/repository/models/nowhere/unload', { parameters: { unload_dependents: true } }),
  kserve('POST', '/v2/systemsharedmemory/region/a/register', { key: '/nowhere', offset: 0, byte_size: 4 }),
  kserve('GET', '/v2/cudasharedmemory/status'),
  kserve('GET', '/v2/logging'),
];

import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../errors.ts';
import { parseRequest } from '../../../requests/fields.ts';
import { ResponsesRequest } from './responses-request.ts';

const base = { model: 'toy', input: 'Hi' };

function errorOf(body: object): string | undefined {
  try {
    parseRequest(ResponsesRequest, body);
    return undefined;
  } catch (error) {
    const { code, message } = ApiError.from(error);
    return `${code} ${message}`;
  }
}

const refusal = (message: string) => `unsupported_parameter ${message}`;
const invalid = (message: string) => `invalid_request ${message}`;

describe('a request for a response', () => {
  it('accepts every type of input, and passes on unknown fields of an item', () => {
    const input = [
      { role: 'user', content: 'easy' },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'a' }], status: 'completed' },
      { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'low' }] },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [
          { type: 'output_text', text: 'b', annotations: [], logprobs: [] },
          { type: 'refusal', refusal: 'c' },
        ],
        phase: 'final_answer',
      },
      { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'd' }] },
      { type: 'reasoning', encrypted_content: 'conch.ZA==', summary: [{ type: 'summary_text', text: 'e' }] },
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'g' },
      { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'h' }] },
      { type: 'item_reference', id: 'msg_2' },
      { id: 'msg_3' },
    ];
    const { request, ignoredFields } = parseRequest(ResponsesRequest, { ...base, input, more: 1 });
    expect(ignoredFields).toEqual(['more']);
    expect(request.input).toEqual([
      { ...input[0], type: 'message' },
      input[1],
      { ...input[2], type: 'message' },
      ...input.slice(3, 10),
      { id: 'msg_3', type: 'item_reference' },
    ]);
  });

  it('accepts the default fields of the SDKs', () => {
    const body = {
      ...base,
      include: ['reasoning.encrypted_content', 'message.input_image.image_url', 'message.output_text.logprobs'],
      stream: true,
      stream_options: { include_obfuscation: false },
      store: false,
      background: false,
      text: { format: { type: 'text' }, verbosity: 'medium' },
      reasoning: { effort: 'low', summary: null, generate_summary: null },
      service_tier: 'auto',
      truncation: 'disabled',
      tool_choice: 'auto',
      tools: [{ type: 'function', name: 'f', parameters: {}, strict: true, description: null }],
      max_tool_calls: 2,
      prompt_cache_key: 'k',
      prompt_cache_retention: '24h',
      safety_identifier: 's',
      user: 'u',
      conversation: null,
      prompt: null,
      previous_response_id: null,
      instructions: null,
      metadata: { a: 'b' },
      top_k: 5,
      seed: 1,
      stop: ['x'],
      chat_template_kwargs: { a: 1 },
      guided_regex: 'a+',
    };
    expect(parseRequest(ResponsesRequest, body)).toEqual({ request: body, ignoredFields: [] });
  });

  it('reports hints that have no effect', () => {
    const reasoning = { summary: 'auto', generate_summary: 'concise', context: 'all_turns' };
    const body = { ...base, reasoning, client_metadata: { session_id: 's' } };
    const { request, ignoredFields, strictError } = parseRequest(ResponsesRequest, body);
    expect(request).toEqual(body);
    expect(ignoredFields).toEqual(['reasoning.summary', 'reasoning.generate_summary', 'reasoning.context']);
    expect([strictError?.code, strictError?.message]).toEqual([
      'unsupported_parameter',
      'reasoning.summary: reasoning is not summarized; the response has all of it.',
    ]);
  });

  it('reports the values of include that belong to tools of OpenAI', () => {
    const include = [
      'web_search_call.results',
      'reasoning.encrypted_content',
      'web_search_call.action.sources',
      'file_search_call.results',
      'computer_call_output.output.image_url',
      'code_interpreter_call.outputs',
    ];
    const { request, ignoredFields, strictError } = parseRequest(ResponsesRequest, { ...base, include });
    expect(request.include).toEqual(include);
    expect(ignoredFields).toEqual([0, 2, 3, 4, 5].map((at) => `include[${at}]`));
    expect([strictError?.code, strictError?.message]).toEqual([
      'unsupported_parameter',
      'include[0]: tools that OpenAI runs are not supported, so there is nothing to include.',
    ]);
  });

  it('needs no input after another response', () => {
    expect(errorOf({ model: 'toy', previous_response_id: 'resp_1' })).toBeUndefined();
  });

  it.each([
    [{ input: undefined }, invalid('input: is required without previous_response_id.')],
    [{ input: 5 }, invalid('input: must be a string or an array of items.')],
    [
      { input: [5] },
      invalid(
        'input[0]: type must be one of message, reasoning, function_call, function_call_output, ' +
          'custom_tool_call, custom_tool_call_output, additional_tools, tool_search_output, item_reference.',
      ),
    ],
    [
      { input: [{ role: 'tool', content: 'x' }] },
      invalid('input[0].role: must be system, developer, user or assistant.'),
    ],
    [{ input: [{ role: 'user' }] }, invalid('input[0].content: must be a string or an array of content parts.')],
    [{ input: [{ type: 'function_call', name: 'f', arguments: '' }] }, invalid('input[0].call_id: is required.')],
    [
      { input: [{ role: 'user', content: [{ type: 'input_image' }] }] },
      invalid('input[0].content[0].image_url: is required in a content part of this type.'),
    ],
    [
      { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'file_1', image_url: 'x' }] }] },
      refusal('input[0].content[0].file_id: files are not stored; send image_url instead.'),
    ],
    [
      { input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'x' }] }] },
      refusal(
        'input[0].content[0]: content parts of type "input_file" are not supported; send input_text, input_image, ' +
          'output_text, refusal.',
      ),
    ],
    [
      { input: [{ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_file' }] }] },
      refusal(
        'input[0].output[0]: content parts of type "input_file" are not supported; send input_text, input_image.',
      ),
    ],
    [
      { input: [{ type: 'compaction', id: 'cmp_1', encrypted_content: 'x' }] },
      refusal(
        'input[0]: items of type "compaction" are not supported; send message, reasoning, function_call, ' +
          'function_call_output, custom_tool_call, custom_tool_call_output, additional_tools, tool_search_output, ' +
          'item_reference.',
      ),
    ],
    [{ tools: [{ type: 'custom' }] }, invalid('tools[0].name: is required.')],
    [
      { tools: [{ type: 'custom', name: 'f', format: { type: 'grammar', syntax: 'ebnf', definition: '' } }] },
      invalid('tools[0].format.syntax: must be lark or regex.'),
    ],
    [{ tools: [{ type: 'namespace', name: 'n' }] }, invalid('tools[0].tools: must be an array.')],
    [
      { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'a b' }] }] },
      invalid('tools[0].tools[0].name: must be 1 to 64 letters, digits, dashes, dots or underscores.'),
    ],
    [
      { input: [{ type: 'additional_tools', tools: [{ type: 'function' }] }] },
      invalid('input[0].tools[0].name: is required.'),
    ],
    [{ input: [{ type: 'custom_tool_call', call_id: 'c', name: 'f' }] }, invalid('input[0].input: is required.')],
    [{ tools: [{ type: 'function' }] }, invalid('tools[0].name: is required.')],
    [{ tools: [{ name: 'f' }] }, invalid('tools[0].type: is required.')],
    [{ tool_choice: 'any' }, invalid('tool_choice: must be none, auto, required, a named tool or allowed_tools.')],
    [{ text: { format: { type: 'xml' } } }, invalid('text.format.type: must be text, json_object or json_schema.')],
    [{ text: { format: { type: 'json_schema', schema: {} } } }, invalid('text.format.name: is required.')],
    [
      { text: { format: { type: 'json_schema', name: 'a' } } },
      invalid('text.format.schema: must be a JSON schema object.'),
    ],
    [{ reasoning: { summary: 'long' } }, invalid('reasoning.summary: must be auto, concise or detailed.')],
    [{ reasoning: { mode: 'pro' } }, refusal('reasoning.mode: must be standard; other modes are not supported.')],
    [{ truncation: 'middle' }, invalid('truncation: must be auto or disabled.')],
    [
      { include: ['x'] },
      invalid(
        'include[0]: must be one of reasoning.encrypted_content, message.output_text.logprobs, ' +
          'message.input_image.image_url, file_search_call.results, web_search_call.results, ' +
          'web_search_call.action.sources, computer_call_output.output.image_url, code_interpreter_call.outputs.',
      ),
    ],
    [
      { conversation: 'conv_1' },
      refusal('conversation: conversations are not supported; send previous_response_id or the items.'),
    ],
    [{ prompt: { id: 'p' } }, refusal('prompt: stored prompts are not supported; send instructions and input.')],
    [{ background: true, store: false }, invalid('background: requires a stored response; leave store out.')],
    [{ n: 2 }, refusal('n: a response has only one choice.')],
    [{ max_tokens: 2 }, refusal('max_tokens: only supported by /v1/chat/completions; send max_output_tokens instead.')],
    [{ max_output_tokens: 0 }, invalid('max_output_tokens: must be at least 1, not 0.')],
    [{ messages: [] }, refusal('messages: only supported by /v1/chat/completions; send input instead.')],
    [
      { response_format: { type: 'text' } },
      refusal('response_format: only supported by /v1/chat/completions; send text.format instead.'),
    ],
    [
      { stream_options: { include_obfuscation: true } },
      refusal('stream_options.include_obfuscation: stream obfuscation is not supported.'),
    ],
  ] as [object, string][])('names what is wrong: %j', (body, error) => {
    expect(errorOf({ ...base, ...body })).toBe(error);
  });
});

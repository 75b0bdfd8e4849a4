import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../errors.ts';
import { parseRequest } from '../../../requests/fields.ts';
import { conversationOf, storedInput } from './conversation.ts';
import { renameError } from './rename-error.ts';
import { ResponsesRequest } from './responses-request.ts';
import { toChat } from './to-chat.ts';
import { toolsetOf } from './toolset.ts';

const { request } = parseRequest(ResponsesRequest, {
  model: 'toy',
  instructions: 'S',
  previous_response_id: 'resp_1',
  input: [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'a' },
        { type: 'input_image', image_url: 'data:' },
      ],
    },
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'T' }] },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{' },
    { type: 'function_call', call_id: 'd', name: 'f', arguments: '{' },
    { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: 'data:' }] },
  ],
});
const earlier = [{ input: [{ type: 'message', role: 'user', content: 'Q' }], response: { output: [] } }];
const own = storedInput(request, { id: `resp_${'a'.repeat(32)}` });
const items = conversationOf(request, { earlier, own });
const { origins } = toChat(request, { items, tools: toolsetOf(request, items) });

describe('renameError', () => {
  it.each([
    ['messages', 'input'],
    ['prompt', 'input'],
    ['messages[0].content', 'instructions'],
    ['messages[1].content', 'previous_response_id'],
    ['messages[2].content[1].image_url.url', 'input[0].content[1].image_url'],
    ['messages[2].content[1].image_url.detail', 'input[0].content[1].detail'],
    ['messages[2].content[1]', 'input[0].content[1]'],
    ['messages[3].tool_calls[1].function.arguments', 'input[3].arguments'],
    ['messages[3].tool_calls[0].id', 'input[2].call_id'],
    ['messages[4].tool_call_id', 'input[4].call_id'],
    ['messages[4].content[0].image_url.url', 'input[4].output[0].image_url'],
    ['response_format', 'text.format'],
    ['response_format.json_schema.schema.properties.x', 'text.format.schema.properties.x'],
    ['max_completion_tokens', 'max_output_tokens'],
    ['max_tokens', 'max_output_tokens'],
    ['reasoning_effort', 'reasoning.effort'],
    ['tools[0].function.name', 'tools[0].name'],
    ['tools[12].function.parameters.properties', 'tools[12].parameters.properties'],
    ['tool_choice.allowed_tools.tools[0]', 'tool_choice.tools[0]'],
    ['tool_choice', 'tool_choice'],
    ['logprobs', 'include'],
    ['top_logprobs', 'top_logprobs'],
    ['temperature', 'temperature'],
  ])('%s -> %s', (param, renamed) => {
    const headers = { allow: 'x' };
    const cause = new Error('why');
    const error = new ApiError('invalid_request', `${param}: is wrong.`, { param, retryAfter: 3, headers, cause });
    const reported = renameError(error, origins);
    expect([reported.code, reported.message, reported.param]).toEqual([
      'invalid_request',
      `${renamed}: is wrong.`,
      renamed,
    ]);
    expect([reported.retryAfter, reported.headers, reported.cause]).toEqual([3, headers, cause]);
  });

  it('does not change a message that does not start with the field, nor an error without a field', () => {
    const error = renameError(new ApiError('context_length_exceeded', 'Too long.', { param: 'messages' }), origins);
    expect([error.code, error.message, error.param]).toEqual(['context_length_exceeded', 'Too long.', 'input']);
    const plain = new ApiError('backend_error', 'No.');
    expect(renameError(plain, origins)).toBe(plain);
  });
});

import { describe, expect, it } from 'vitest';
import { ApiError } from '../../errors.ts';
import { parseRequest } from '../../requests/fields.ts';
import { MessagesRequest } from './messages-request.ts';
import { renameError, renameIgnored } from './rename-error.ts';
import { toChat } from './to-chat.ts';

const text = (value: string) => ({ type: 'text', text: value });
const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };

describe('renameError', () => {
  const result = { type: 'tool_result', tool_use_id: 't1', content: [text('b'), picture] };
  const use = { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } };
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [use] },
    { role: 'user', content: [text('a'), result, picture] },
  ];
  const tools = ['a', 'b', 'c'].map((name) => ({ name, input_schema: {} }));
  const format = { type: 'json_schema', schema: {} };
  const body = { model: 'toy', max_tokens: 10, messages, tools, system: 'Be brief.', output_format: format };
  const { origin } = toChat(parseRequest(MessagesRequest, body).request);

  it.each([
    ['messages', 'messages'],
    ['messages[0].content', 'system'],
    ['messages[1].content', 'messages[0].content'],
    ['messages[3].tool_call_id', 'messages[2].content[1].tool_use_id'],
    ['messages[3].content[1].image_url.url', 'messages[2].content[1].content[1].source'],
    ['messages[4].content[1]', 'messages[2].content[2]'],
    ['messages[4].content[0].text', 'messages[2].content[0].text'],
    ['messages[9].content', 'messages'],
    ['tools[2].function.name', 'tools[2].name'],
    ['tools[2].function.parameters.properties.a', 'tools[2].input_schema.properties.a'],
    ['response_format', 'output_format'],
    ['response_format.json_schema.schema.type', 'output_format.schema.type'],
    ['stop', 'stop_sequences'],
    ['parallel_tool_calls', 'tool_choice.disable_parallel_tool_use'],
    ['chat_template_kwargs.thinking', 'thinking'],
    ['max_tokens', 'max_tokens'],
  ])('calls %s %s', (param, field) => {
    const cause = new Error('underneath');
    const renamed = renameError(
      new ApiError('invalid_request', `${param}: is wrong.`, { param, cause, retryAfter: 3, headers: { allow: 'x' } }),
      origin,
    );
    const { code, message, retryAfter, headers } = renamed;
    expect({ code, message, param: renamed.param, retryAfter, headers, cause: renamed.cause }).toEqual({
      code: 'invalid_request',
      message: `${field}: is wrong.`,
      param: field,
      retryAfter: 3,
      headers: { allow: 'x' },
      cause,
    });
  });

  it('leaves a message that does not begin with the field as it is', () => {
    const { message, param } = renameError(new ApiError('invalid_request', 'All is wrong.', { param: 'stop' }), origin);
    expect({ message, param }).toEqual({ message: 'All is wrong.', param: 'stop_sequences' });
  });

  it('names what had no effect; thinking only where the template reads neither of its names', () => {
    const [enable, thinking] = ['chat_template_kwargs.enable_thinking', 'chat_template_kwargs.thinking'] as const;
    expect(renameIgnored([enable], origin)).toEqual([]);
    expect(renameIgnored([enable, 'chat_template_kwargs.reasoning_effort', thinking], origin)).toEqual([
      'thinking',
      'output_config.effort',
    ]);
  });
});

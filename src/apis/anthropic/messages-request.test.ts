import { describe, expect, it } from 'vitest';
import { ApiError } from '../../errors.ts';
import { parseRequest } from '../../requests/fields.ts';
import { CountTokensRequest, MessagesRequest, tokenCount } from './messages-request.ts';

const fine = { model: 'toy', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] };
const tool = { name: 'f', input_schema: { type: 'object' } };

function errorOf(body: object): object | undefined {
  try {
    parseRequest(MessagesRequest, body);
    return undefined;
  } catch (error) {
    const { code, param, message } = ApiError.from(error);
    return { code, param, message };
  }
}

const said = (role: string, ...content: unknown[]) => ({ ...fine, messages: [{ role, content }] });
const invalid = (param: string, message: string) => ({
  code: 'invalid_request',
  param,
  message: `${param}: ${message}`,
});
const refused = (param: string, message: string) => ({
  code: 'unsupported_parameter',
  param,
  message: `${param}: ${message}`,
});
const unsupported = (type: string) =>
  `content blocks of type "${type}" are not supported here; send text or image blocks.`;

describe('MessagesRequest', () => {
  it('takes every field that has an effect or does no harm, and names the unknown ones', () => {
    const cache_control = { type: 'ephemeral', ttl: '1h' };
    const body = {
      ...fine,
      system: [{ type: 'text', text: 'Be brief.', cache_control }],
      stop_sequences: ['END'],
      stream: true,
      temperature: 1,
      top_p: 0.5,
      top_k: 0,
      tools: [
        { ...tool, type: 'custom', description: 'd', strict: true, cache_control },
        {
          ...tool,
          name: 'g',
          type: null,
          allowed_callers: ['direct'],
          defer_loading: false,
          eager_input_streaming: true,
        },
      ],
      tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
      thinking: { type: 'enabled', budget_tokens: 1024, display: 'summarized' },
      output_config: { effort: 'max', format: { type: 'json_schema', schema: {} } },
      metadata: { user_id: 'u' },
      service_tier: 'standard_only',
      speed: 'standard',
      cache_control,
      container: null,
    };
    expect(parseRequest(MessagesRequest, { ...body, more: 1 }).ignoredFields).toEqual(['more']);
  });

  it.each([
    [{ ...fine, max_tokens: undefined }, invalid('max_tokens', 'is required.')],
    [
      { model: 'toy', messages: fine.messages },
      { code: 'invalid_request', param: 'max_tokens', message: 'The field max_tokens is required.' },
    ],
    [{ ...fine, max_tokens: 0 }, invalid('max_tokens', 'must be at least 1, not 0.')],
    [{ ...fine, temperature: 1.5 }, invalid('temperature', 'must be at most 1, not 1.5.')],
    [{ ...fine, messages: [] }, invalid('messages', 'must have at least 1 entry.')],
    [
      { ...fine, messages: [{ role: 'tool', content: '' }] },
      invalid('messages[0].role', 'role must be user, assistant or system.'),
    ],
    [
      { ...fine, messages: [{ role: 'user', content: 5 }] },
      invalid('messages[0].content', 'must be a string or an array of content blocks.'),
    ],
    [said('user', { type: 'text' }), invalid('messages[0].content[0].text', 'is required.')],
    [said('user', 'Hi'), invalid('messages[0].content[0]', 'type must be one of text, image, tool_result.')],
    [said('user', { type: 'document' }), refused('messages[0].content[0]', unsupported('document'))],
    [said('assistant', { type: 'server_tool_use' }), refused('messages[0].content[0]', unsupported('server_tool_use'))],
    [
      said('user', { type: 'tool_use' }),
      refused('messages[0].content[0]', 'content blocks of type tool_use are only supported in assistant messages.'),
    ],
    [
      said('assistant', { type: 'image' }),
      refused('messages[0].content[0]', 'content blocks of type image are only supported in user messages.'),
    ],
    [
      said('user', { type: 'image', source: { type: 'file', file_id: 'f' } }),
      refused('messages[0].content[0].source', 'image sources of type "file" are not supported; send base64 or url.'),
    ],
    [
      said('user', { type: 'image', source: { type: 'base64', media_type: 'image/bmp', data: 'x' } }),
      invalid('messages[0].content[0].source.media_type', 'must be image/jpeg, image/png, image/gif or image/webp.'),
    ],
    [
      said('user', { type: 'tool_result', tool_use_id: 't', content: [{ type: 'search_result' }] }),
      refused('messages[0].content[0].content[0]', unsupported('search_result')),
    ],
    [
      said('assistant', { type: 'tool_use', id: 't', name: 'f', input: '{}' }),
      invalid('messages[0].content[0].input', 'must be an object.'),
    ],
    [{ ...fine, tools: [{ ...tool, type: 5 }] }, invalid('tools[0].type', 'must be custom, not 5.')],
    [{ ...fine, tools: [tool, 5] }, invalid('tools[1]', 'must be an object, not 5.')],
    [
      said('user', { type: 'tool_reference', tool_name: 'f' }),
      refused('messages[0].content[0]', unsupported('tool_reference')),
    ],
    [
      said('user', { type: 'tool_result', tool_use_id: 't', content: [{ type: 'tool_reference' }] }),
      invalid('messages[0].content[0].content[0].tool_name', 'is required.'),
    ],
    [{ ...fine, tools: [{ name: 'f' }] }, invalid('tools[0].input_schema', 'must be a JSON schema object.')],
    [
      { ...fine, tool_choice: { type: 'required' } },
      invalid('tool_choice.type', 'type must be auto, any, tool or none.'),
    ],
    [
      { ...fine, thinking: { type: 'between_tools' } },
      refused('thinking', 'thinking of type "between_tools" is not supported; send enabled, disabled or adaptive.'),
    ],
    [{ ...fine, thinking: { type: 'enabled' } }, invalid('thinking.budget_tokens', 'is required.')],
    [{ ...fine, stop_sequences: [''] }, invalid('stop_sequences[0]', 'a stop sequence must not be empty.')],
    [
      { ...fine, output_config: { format: { type: 'text' } } },
      invalid('output_config.format.type', 'must be json_schema.'),
    ],
    [{ ...fine, container: 'c' }, refused('container', 'containers are not supported.')],
    [{ ...fine, thread: { type: 'create' } }, refused('thread', 'threads are not supported; send all messages.')],
    [
      { ...fine, mcp_servers: [{}] },
      refused('mcp_servers', 'MCP servers are not supported; send their tools as custom tools.'),
    ],
    [{ ...fine, speed: 'fast' }, refused('speed', 'must be standard; other speeds are not supported.')],
    [
      { ...fine, service_tier: 'priority' },
      refused('service_tier', 'must be auto or standard_only; other service tiers are not supported.'),
    ],
  ])('names what is wrong: %j', (body, error) => {
    expect(errorOf(body)).toEqual(error);
  });
});

describe('what has no effect', () => {
  const webSearch = { type: 'web_search_20250305', name: 'web_search', max_uses: 8 };
  const bash = { type: 'bash_20250124', name: 'bash' };

  it('is accepted and named', () => {
    const { request, ignoredFields } = parseRequest(MessagesRequest, {
      ...fine,
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      diagnostics: { previous_message_id: null },
      tools: [webSearch, { ...tool, defer_loading: true }, bash, { ...tool, name: 'g', defer_loading: false }],
    });
    expect(ignoredFields.toSorted()).toEqual(['context_management', 'diagnostics', 'tools[0]', 'tools[2]']);
    expect(request.tools).toEqual([
      { type: webSearch.type, name: webSearch.name },
      { ...tool, defer_loading: true },
      bash,
      { ...tool, name: 'g', defer_loading: false },
    ]);
  });

  it.each([
    [{ context_management: {} }, 'context_management: context editing is not supported; shorten the messages.'],
    [
      { tools: [tool, webSearch] },
      'tools[1]: tools that Anthropic runs or defines are not supported; send a tool of type custom.',
    ],
  ])('is an error of --strict-fields: %j', (fields, message) => {
    const { code, message: text } = parseRequest(MessagesRequest, { ...fine, ...fields }).strictError ?? {};
    expect([code, text]).toEqual(['unsupported_parameter', message]);
  });
});

describe('CountTokensRequest', () => {
  it('needs no max_tokens', () => {
    const { max_tokens: _, ...body } = fine;
    expect(parseRequest(CountTokensRequest, body)).toEqual({ request: body, ignoredFields: [] });
    expect(tokenCount(12)).toEqual({ input_tokens: 12 });
  });
});

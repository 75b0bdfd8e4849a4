import { describe, expect, it } from 'vitest';
import { parseRequest } from '../../../requests/fields.ts';
import { conversationOf, storedInput } from './conversation.ts';
import { newResponseId } from './item-ids.ts';
import { ResponsesRequest } from './responses-request.ts';
import { toChat } from './to-chat.ts';
import { toolsetOf } from './toolset.ts';

const user = { role: 'user', content: 'Hi' };
const call = (id: string, name: string, args: object) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
});

function read(items: readonly object[]) {
  const parsed = parseRequest(ResponsesRequest, { model: 'toy', input: [user, ...items] });
  const { request, ignoredFields, strictError } = parsed;
  const own = storedInput(request, { id: newResponseId() });
  const conversation = conversationOf(request, { earlier: [], own });
  const { request: chat } = toChat(request, { items: conversation, tools: toolsetOf(request, conversation) });
  return { messages: chat.messages.slice(1), own, ignoredFields, strictError };
}

describe('an item of a tool that another server ran', () => {
  it.each([
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
    { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'AAAA' },
    { type: 'computer_call', id: 'cu_1', call_id: 'c1', action: { type: 'click' }, pending_safety_checks: [] },
    { type: 'computer_call_output', call_id: 'c1', output: { type: 'computer_screenshot', image_url: 'data:' } },
    { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 's', tools: [{ name: 'a', input_schema: {} }] },
    { type: 'mcp_approval_request', id: 'mcpr_1', server_label: 's', name: 'a', arguments: '{}' },
    { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
    { type: 'tool_search_call', call_id: 'c2', execution: 'client', arguments: { query: 'q' } },
    { type: 'file_search_call', id: 'fs_1', queries: ['q'], results: null },
    { type: 'file_search_call', id: 'fs_1', queries: ['q'], results: [{ file_id: 'f' }] },
    { type: 'code_interpreter_call', id: 'ci_1', code: 'print(1)', outputs: null },
    { type: 'code_interpreter_call', id: 'ci_1', code: 'plot()', outputs: [{ type: 'image', url: 'u' }] },
    { type: 'mcp_call', id: 'mcp_1', server_label: 's', name: 'a', arguments: '{}', output: null, error: null },
    { type: 'local_shell_call', id: 'ls_1', call_id: 'c3' },
    { type: 'hologram_call', id: 'h_1' },
  ])('is left out and named where it has no text: $type', (item) => {
    const { messages, own, ignoredFields, strictError } = read([item, { role: 'assistant', content: 'A' }]);
    expect(messages).toEqual([{ role: 'assistant', content: 'A' }]);
    expect(own[1]).toEqual({ id: expect.stringMatching(/^ht_[0-9a-f]{32}i1$/), ...item });
    expect(ignoredFields).toEqual(['input[1]']);
    expect([strictError?.code, strictError?.message]).toEqual([
      'unsupported_parameter',
      `input[1]: items of type "${item.type}" have no text for the model.`,
    ]);
  });

  it.each([
    [
      { type: 'mcp_call', id: 'mcp_1', server_label: 'docs', name: 'find', arguments: '{"q":"x"}', output: 'Found.' },
      call('mcp_1', 'docs__find', { q: 'x' }),
      'Found.',
    ],
    [
      { type: 'mcp_call', id: 'mcp_1', name: 'find', arguments: '{}', output: null, error: { code: 1 } },
      call('mcp_1', 'find', {}),
      '{"code":1}',
    ],
    [
      { type: 'code_interpreter_call', id: 'ci_1', code: 'print(1)', outputs: [{ type: 'logs', logs: '1\n' }] },
      call('ci_1', 'code_interpreter', { code: 'print(1)' }),
      '1\n',
    ],
    [
      {
        type: 'file_search_call',
        id: 'fs_1',
        queries: ['q'],
        results: [{ file_id: 'f', filename: 'a.md', score: 0.5, text: 'T' }],
      },
      call('fs_1', 'file_search', { queries: ['q'] }),
      '[{"filename":"a.md","text":"T"}]',
    ],
  ])('is a call with its result: %j', (item, made, content) => {
    const { messages, ignoredFields } = read([item]);
    expect(messages).toEqual([
      { role: 'assistant', content: null, tool_calls: [made] },
      { role: 'tool', tool_call_id: made.id, content },
    ]);
    expect(ignoredFields).toEqual([]);
  });

  const exec = { type: 'exec', command: ['ls'], env: {} };
  const outcome = [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }];
  const operation = { type: 'create_file', path: 'a', diff: '+b' };
  it.each([
    [
      { type: 'local_shell_call', id: 'ls_1', call_id: 'c1', status: 'completed', action: exec },
      { type: 'local_shell_call_output', id: 'c1', output: 'a' },
      call('c1', 'local_shell', exec),
      'a',
    ],
    [
      { type: 'local_shell_call', call_id: 'c1', status: 'completed', action: exec },
      { type: 'function_call_output', call_id: 'c1', output: 'a' },
      call('c1', 'local_shell', exec),
      'a',
    ],
    [
      { type: 'shell_call', call_id: 'c1', action: { commands: ['ls'] } },
      { type: 'shell_call_output', call_id: 'c1', output: outcome },
      call('c1', 'shell', { commands: ['ls'] }),
      JSON.stringify(outcome),
    ],
    [
      { type: 'apply_patch_call', call_id: 'c1', operation },
      { type: 'apply_patch_call_output', call_id: 'c1', status: 'failed', output: null },
      call('c1', 'apply_patch', operation),
      'failed',
    ],
  ])('is a call, and another item is its result: %j', (item, output, made, content) => {
    const { messages, ignoredFields } = read([item, output]);
    expect(messages).toEqual([
      { role: 'assistant', content: null, tool_calls: [made] },
      { role: 'tool', tool_call_id: 'c1', content },
    ]);
    expect(ignoredFields).toEqual([]);
  });

  it('is named by the part that the model does not see', () => {
    const outputs = [
      { type: 'logs', logs: '1' },
      { type: 'image', url: 'u' },
      { type: 'logs', logs: '2' },
    ];
    const { messages, ignoredFields } = read([{ type: 'code_interpreter_call', id: 'ci_1', code: 'x', outputs }]);
    expect(messages[1]).toEqual({ role: 'tool', tool_call_id: 'ci_1', content: '1\n2' });
    expect(ignoredFields).toEqual(['input[1].outputs[1]']);
  });

  it('may have reasoning beside it that only that server can read', () => {
    const { ignoredFields } = read([
      { type: 'reasoning', summary: [], encrypted_content: 'gAAA' },
      { type: 'reasoning', summary: [], encrypted_content: 'conch.VGjDrnM=' },
      { type: 'reasoning', summary: [], encrypted_content: 'gAAA', content: [{ type: 'reasoning_text', text: 'T' }] },
      user,
    ]);
    expect(ignoredFields).toEqual(['input[1].encrypted_content']);
  });
});

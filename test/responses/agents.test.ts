import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { directive } from '../support/exchange.ts';
import { post } from '../support/gateway.ts';
import { written } from '../tools/requests.ts';
import { startKeeping } from './requests.ts';

let conch: Awaited<ReturnType<typeof startKeeping>>;
beforeAll(async () => {
  conch = await startKeeping();
});
afterAll(() => conch.end());

const model = 'vllm-toy';
const parameters = { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] };
const run = { type: 'function', name: 'exec_command', description: 'Runs a command.', strict: false, parameters };
const agents = {
  type: 'namespace',
  name: 'agents',
  description: 'Sub-agents.',
  tools: [{ type: 'function', name: 'wait', parameters: { type: 'object', properties: {} } }],
};
const patch = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits files.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch"' },
};
const edit = '*** Begin Patch\n*** Add File: a.txt\n+"Zürich" 😀\n*** End Patch';
const rounds = [
  written('exec_command', '{"cmd": "ls"}'),
  written('agents__wait', '{}'),
  written('apply_patch', JSON.stringify({ input: edit })),
  'All done.',
];

interface Item {
  readonly type: string;
  readonly call_id?: string;
  readonly content?: readonly { readonly text: string }[];
}

interface Event {
  readonly type: string;
  readonly sequence_number: number;
  readonly item?: Item;
  readonly delta?: string;
  readonly response?: { readonly error: unknown; readonly status: string };
}

function typedEvents(text: string): Event[] {
  const events = text.split('\n\n').filter((event) => event !== '');
  return events.map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)) as Event);
}

/** The body of a coding agent's request. */
function body(input: readonly unknown[], more: object = {}) {
  return {
    model,
    stream: true,
    store: false,
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { summary: 'auto', context: 'all_turns' },
    include: ['reasoning.encrypted_content'],
    client_metadata: { session_id: 's' },
    tools: [run, agents, patch, { type: 'web_search', external_web_access: false }],
    input,
    ...more,
  };
}

const say = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });

describe('a coding agent', () => {
  it('runs a command, calls a tool of a namespace and edits a file', async () => {
    const input: unknown[] = [say(directive({ answers: rounds }))];
    const made: unknown[] = [];
    for (;;) {
      const { headers, text } = await post(`${conch.url}/v1/responses`, body(input));
      expect(headers.get('x-conch-ignored')).toBe('tools[2].format, tools[3], reasoning.context');
      const [item] = typedEvents(text).flatMap((event) =>
        event.type === 'response.output_item.done' && event.item ? [event.item] : [],
      );
      made.push(item);
      if (!item?.call_id) break;
      const type = `${item.type}_output`;
      input.push(item, { type, call_id: item.call_id, output: [{ type: 'input_text', text: 'ok' }] });
    }
    const call = { id: expect.any(String), status: 'completed', call_id: expect.any(String) };
    expect(made).toEqual([
      { ...call, type: 'function_call', name: 'exec_command', arguments: '{"cmd": "ls"}' },
      { ...call, type: 'function_call', name: 'wait', namespace: 'agents', arguments: '{}' },
      { ...call, type: 'custom_tool_call', name: 'apply_patch', input: edit },
      expect.objectContaining({ content: [expect.objectContaining({ text: 'All done.' })] }),
    ]);
  });

  it('gets tools of input items, stored with the conversation', async () => {
    const first = await post(`${conch.url}/v1/responses`, {
      model,
      input: [
        { type: 'additional_tools', role: 'developer', tools: [agents, patch] },
        say(directive({ answers: rounds.slice(2) })),
      ],
    });
    const { id, output } = first.body as unknown as { id: string; output: Item[] };
    expect(output).toEqual([expect.objectContaining({ type: 'custom_tool_call', name: 'apply_patch', input: edit })]);
    const second = await post(`${conch.url}/v1/responses`, {
      model,
      previous_response_id: id,
      input: [{ type: 'custom_tool_call_output', call_id: output[0]?.call_id, output: 'ok' }],
    });
    expect(second.body['output']).toEqual([
      expect.objectContaining({ content: [expect.objectContaining({ text: 'All done.' })] }),
    ]);
    const { data } = (await (await fetch(`${conch.url}/v1/responses/${id}/input_items?order=asc`)).json()) as {
      data: Item[];
    };
    expect(data[0]).toEqual({
      type: 'additional_tools',
      id: expect.stringMatching(/^at_/),
      role: 'developer',
      tools: [agents, patch],
    });
  });

  it('is told inside the stream that its input is too long', async () => {
    const input = [say(directive({ answer: 'x', context: 8 }))];
    const streamed = await post(`${conch.url}/v1/responses`, body(input));
    const events = typedEvents(streamed.text);
    expect([streamed.status, ...events.map(({ type }) => type)]).toEqual([
      200,
      'response.created',
      'response.in_progress',
      'response.failed',
    ]);
    const error = { code: 'context_length_exceeded', message: expect.any(String), param: 'input' };
    expect(events.at(-1)?.response).toMatchObject({ status: 'failed', error, output: [] });
    const whole = await post(`${conch.url}/v1/responses`, body(input, { stream: false }));
    expect([whole.status, whole.body.error]).toEqual([400, { ...error, type: 'invalid_request_error' }]);
  });

  it('may compress its requests', async () => {
    const compressed = gzipSync(JSON.stringify(body([say(directive({ answer: 'Yes.' }))], { stream: false })));
    const response = await fetch(`${conch.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: compressed,
    });
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { output: [{ content: [{ text: 'Yes.' }] }] },
    ]);
  });

  it('may have a thousand tools, and no more than the limit', async () => {
    const servers = (count: number) =>
      Array.from({ length: 8 }, (_, server) => ({
        ...agents,
        name: `server${server}`,
        tools: Array.from({ length: count }, (_, at) => ({ type: 'function', name: `tool${at}`, parameters })),
      }));
    const input = [say(directive({ answer: written('server7__tool99', '{"cmd": "ls"}'), context: 500_000 }))];
    const { body: response } = await post(`${conch.url}/v1/responses`, {
      ...body(input, { stream: false, max_output_tokens: 64 }),
      tools: servers(128),
    });
    expect(response['output']).toEqual([expect.objectContaining({ name: 'tool99', namespace: 'server7' })]);
    const refused = await post(`${conch.url}/v1/responses`, { ...body(input), tools: servers(129) });
    expect(refused.body.error?.['message']).toBe(
      'tools: must have at most 1024 tools (--max-tools), including those in namespaces, not 1032.',
    );
  });

  it('gets a clear error where two tools have one name for the model', async () => {
    const clash = { type: 'function', name: 'agents__wait' };
    const { status, body: refused } = await post(`${conch.url}/v1/responses`, {
      ...body([say('x')]),
      tools: [agents, clash],
    });
    expect([status, refused.error]).toEqual([
      400,
      {
        message:
          'tools[1].name: the model gets this tool as "agents__wait", which is also its name of tools[0].tools[0]. ' +
          'Rename one of them.',
        type: 'invalid_request_error',
        param: 'tools[1].name',
        code: 'invalid_request',
      },
    ]);
  });
});

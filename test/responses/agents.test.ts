import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { directive } from '../support/exchange.ts';
import { post } from '../support/gateway.ts';
import { written } from '../tools/requests.ts';
import { respond, startKeeping, textOf, type Wire } from './requests.ts';

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

/** A zstd frame of blocks that repeat a byte, after one block with the text before them. */
function zstdOf(text: string): Buffer {
  const start = Buffer.from(text.trimEnd());
  const block = (size: number, kind: 0 | 1, content: Buffer, isLast = false): Buffer => {
    const head = (size << 3) | (kind << 1) | Number(isLast);
    return Buffer.concat([Buffer.from([head & 255, (head >> 8) & 255, head >> 16]), content]);
  };
  const frame = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58]), block(start.length, 0, start)];
  for (let left = text.length - start.length; left > 0; left -= 131_072)
    frame.push(block(Math.min(left, 131_072), 1, Buffer.from(' '), left <= 131_072));
  return Buffer.concat(frame);
}

const say = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });

describe('a coding agent', () => {
  it('runs a command, calls a tool of a namespace and edits a file', async () => {
    const input: unknown[] = [say(directive({ answers: rounds }))];
    const made: unknown[] = [];
    for (;;) {
      const { headers, text } = await post(`${conch.url}/v1/responses`, body(input));
      expect(headers.get('x-conch-ignored')).toBe('tools[2].format, tools[3], reasoning.summary, reasoning.context');
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

  const bomb = { tag: 'bomb', answer: 'x' };
  const expanded = `${JSON.stringify({ model, input: directive(bomb) })}${' '.repeat(80_000_000)}`;
  it.each([
    ['gzip', () => gzipSync(expanded)],
    ['br', () => brotliCompressSync(expanded, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', () => zstdOf(expanded)],
  ])('cannot send a %s body that expands a thousandfold', async (encoding, compressed) => {
    const sent = compressed();
    expect(sent.length * 1000).toBeLessThan(expanded.length);
    const response = await fetch(`${conch.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      body: sent,
    });
    expect([response.status, await response.json()]).toEqual([
      413,
      {
        error: {
          message: 'Request body is too large after decompression: the limit is set by --http-max-input-size.',
          type: 'invalid_request_error',
          param: null,
          code: 'request_too_large',
        },
      },
    ]);
    const { body: counted } = await respond(conch.url, { input: directive({ requests_of: bomb.tag }) });
    expect(textOf(counted as unknown as Wire)).toBe('0');
  });

  it('may send a result of megabytes, up to the context length', async () => {
    const call = { type: 'function_call', call_id: 'c', name: 'exec_command', arguments: '{}' };
    const input = (characters: number) => [
      say(directive({ answer: 'Read.', context: 200_000 })),
      call,
      { type: 'function_call_output', call_id: 'c', output: 'line '.repeat(characters / 5) },
    ];
    const short = await respond(conch.url, { input: input(500_000) });
    expect([short.status, textOf(short.body as unknown as Wire)]).toEqual([200, 'Read.']);
    const { status, body: refused } = await respond(conch.url, { input: input(5_000_000) });
    expect([status, refused.error]).toEqual([
      400,
      {
        message: expect.stringMatching(/200000/),
        type: 'invalid_request_error',
        param: 'input',
        code: 'context_length_exceeded',
      },
    ]);
  });

  it('goes on with a conversation of another server', async () => {
    const { headers, body: response } = await respond(conch.url, {
      input: [
        say('Find it.'),
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'gAAA' },
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'it' } },
        { type: 'mcp_call', id: 'mcp_1', server_label: 'docs', name: 'find', arguments: '{"q":1}', output: 'Found.' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'There.' }] },
        say(directive({ echo_ids: true })),
      ],
    });
    expect(headers.get('x-conch-ignored')).toBe('input[1].encrypted_content, input[2]');
    const tokens = JSON.parse(textOf(response as unknown as Wire)) as number[];
    const { prompt } = (await post(`${conch.url}/detokenize`, { model, tokens })).body;
    expect(prompt).toMatch(/Find it\.[^]*"docs__find"[^]*Found\.[^]*There\./);
    expect(prompt).not.toContain('ws_1');
  });

  it('is told which hints its model cannot follow', async () => {
    const hints = { reasoning: { effort: 'high', context: 'auto' }, text: { verbosity: 'low' } };
    const input = [say(directive({ answer: 'Yes.' }))];
    const { status, headers } = await respond(conch.url, { input, ...hints });
    expect([status, headers.get('x-conch-ignored')]).toEqual([200, 'reasoning.effort, text.verbosity']);
    await conch.logged(({ ignored }) => String(ignored) === 'reasoning.effort,text.verbosity');
    const strict = await startKeeping({ flags: ['--strict-fields'] });
    try {
      const errors = [
        { reasoning: { effort: 'high' } },
        { text: { verbosity: 'low' } },
        { reasoning: { summary: 'auto' } },
        { reasoning: { context: 'all_turns' } },
        { tools: [patch] },
        { input: [...input, { type: 'web_search_call', id: 'ws_1' }] },
      ].map(async (more) => {
        const { status, body: refused } = await respond(strict.url, { input, ...more });
        return [status, refused.error?.['param'], refused.error?.['code']];
      });
      expect(await Promise.all(errors)).toEqual(
        [
          'reasoning.effort',
          'text.verbosity',
          'reasoning.summary',
          'reasoning.context',
          'tools[0].format',
          'input[1]',
        ].map((param) => [400, param, 'unsupported_parameter']),
      );
    } finally {
      await strict.end();
    }
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
          'tools[1].name: the model gets two tools as "agents__wait": "wait" in the namespace "agents" ' +
          '(tools[0].tools[0]) and "agents__wait" (tools[1]). Rename one of them.',
        type: 'invalid_request_error',
        param: 'tools[1].name',
        code: 'invalid_request',
      },
    ]);
  });
});

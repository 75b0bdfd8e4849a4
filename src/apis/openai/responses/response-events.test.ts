import { describe, expect, it } from 'vitest';
import {
  call,
  callEvents,
  called,
  cases,
  completed,
  finish,
  hex,
  type ItemEvent,
  type Logprob,
  message,
  messageEvents,
  optionsOf,
  reasoning,
  reasoningEvents,
  response,
  start,
  text,
  textPart,
  thought,
} from '../../../../test/support/response-fixtures.ts';
import type { TokenLogprob } from '../../../contracts/contract.ts';
import type { GenerateEvent } from '../../../contracts/events.ts';
import { ApiError } from '../../../errors.ts';
import { readyGeneration } from '../../../generate/ready-generation.ts';
import { collectResponse } from './collect-response.ts';
import { ResponseEvents } from './response-events.ts';

function parsed(text: string): unknown[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((event) => {
      const [, type, data = ''] = /^event: (\S+)\ndata: (.*)$/.exec(event) ?? [];
      const value = JSON.parse(data) as { type: string };
      expect(value.type).toBe(type);
      return value;
    });
}

function streamed(events: readonly GenerateEvent[], body?: object) {
  const writer = new ResponseEvents(optionsOf(body));
  const [first, ...rest] = events;
  const text = writer.begin(first ? [first] : []) + rest.map((event) => writer.write(event)).join('') + writer.end();
  return { events: parsed(text), response: writer.response() };
}

/** The whole list of events between the two that open a response and the one that ends it. */
function whole(items: readonly ItemEvent[], ending: { status: string; [field: string]: unknown }, started = response) {
  return [
    { type: 'response.created', response: started },
    { type: 'response.in_progress', response: started },
    ...items,
    { type: `response.${ending.status}`, response: { ...started, ...ending } },
  ].map((event, at) => ({ ...event, sequence_number: at }));
}

async function collected(events: readonly GenerateEvent[], body?: object): Promise<unknown> {
  const collecting = collectResponse(
    readyGeneration(() => events),
    optionsOf(body),
  );
  return JSON.parse(JSON.stringify((await collecting).response()));
}

describe('a streamed response', () => {
  it.each(cases)('of %s is every event in its order', (_name, events, items, ending) => {
    const { events: written, response: built } = streamed(events);
    expect(written).toEqual(whole(items, ending));
    expect(built).toEqual({ ...response, ...ending });
  });

  it('has its members in the order of OpenAI', () => {
    expect(Object.keys(streamed([finish('stop')]).response)).toEqual(Object.keys(response));
  });

  it('that fails in the middle ends with what there was, and nothing after it', () => {
    const writer = new ResponseEvents(optionsOf());
    const text1 = writer.begin([text('Done.')]) + writer.write(call(0, start('a'), '{"x'));
    const failure = new ApiError('backend_error', 'The backend failed.');
    const error = { code: 'server_error', message: 'The backend failed.' };
    const output = [message(0, 'Done.'), called(1, 'a', '{"x', 'incomplete')];
    expect(parsed(text1 + writer.fail(failure))).toEqual(
      whole([...messageEvents(0, ['Done.']), ...callEvents(1, 'a', ['{"x']).slice(0, 2)], {
        status: 'failed',
        error,
        output,
      }),
    );
    expect(writer.response()).toEqual({ ...response, status: 'failed', error, output });
  });

  it.each([
    ['rate_limit_exceeded', 'rate_limit_exceeded'],
    ['invalid_request', 'invalid_prompt'],
    ['deadline_exceeded', 'server_error'],
  ] as const)('that fails with %s says %s', (code, expected) => {
    const writer = new ResponseEvents(optionsOf());
    writer.begin([]);
    writer.fail(new ApiError(code, 'No.'));
    expect(writer.response().error).toEqual({ code: expected, message: 'No.' });
  });

  it('that exceeds the context length says so, and in which field', () => {
    const writer = new ResponseEvents(optionsOf());
    writer.begin([]);
    writer.fail(new ApiError('context_length_exceeded', 'Too long.', { param: 'input' }));
    expect(writer.response().error).toEqual({ code: 'context_length_exceeded', message: 'Too long.', param: 'input' });
  });

  it('calls tools by their own names, custom ones with their input as text', () => {
    const tools = [
      { type: 'custom', name: 'patch' },
      { type: 'namespace', name: 'agents', tools: [{ type: 'function', name: 'wait' }] },
      { type: 'web_search' },
    ];
    const writer = new ResponseEvents(optionsOf({ tools }));
    const delta = (index: number, json: string, made: object = {}): GenerateEvent => ({
      type: 'tool-call-delta',
      choice: 0,
      index,
      arguments: json,
      ...made,
    });
    const events = [
      delta(0, '', { id: 'call_1', name: 'patch' }),
      delta(0, '{"input": "a\\'),
      delta(0, 'nb"}'),
      delta(1, '{}', { id: 'call_2', name: 'agents__wait' }),
      delta(2, '{"x":1}', { id: 'call_3', name: 'patch' }),
    ];
    const streamed = [writer.begin(events), writer.write(finish('tool_calls')), writer.end()].join('');
    const sent = streamed
      .split('\n\n')
      .filter((event) => event !== '')
      .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)) as Record<string, unknown>);
    const first = { id: `ctc_${hex}o0`, type: 'custom_tool_call', call_id: 'call_1', name: 'patch' };
    const second = { id: `fc_${hex}o1`, type: 'function_call', call_id: 'call_2', name: 'wait', namespace: 'agents' };
    const third = { id: `ctc_${hex}o2`, type: 'custom_tool_call', call_id: 'call_3', name: 'patch' };
    const added = 'response.output_item.added';
    const done = 'response.output_item.done';
    const input = 'response.custom_tool_call_input';
    const started = { status: 'in_progress' };
    const ended = { status: 'completed' };
    const at = (index: number, { id }: { readonly id: string }) => ({ item_id: id, output_index: index });
    expect(sent.slice(2, -1)).toEqual(
      [
        { type: added, output_index: 0, item: { ...first, ...started, input: '' } },
        { type: `${input}.delta`, ...at(0, first), delta: 'a' },
        { type: `${input}.delta`, ...at(0, first), delta: '\nb' },
        { type: `${input}.done`, ...at(0, first), input: 'a\nb' },
        { type: done, output_index: 0, item: { ...first, ...ended, input: 'a\nb' } },
        { type: added, output_index: 1, item: { ...second, ...started, arguments: '' } },
        { type: 'response.function_call_arguments.delta', ...at(1, second), delta: '{}' },
        { type: 'response.function_call_arguments.done', ...at(1, second), name: 'wait', arguments: '{}' },
        { type: done, output_index: 1, item: { ...second, ...ended, arguments: '{}' } },
        { type: added, output_index: 2, item: { ...third, ...started, input: '' } },
        { type: `${input}.delta`, ...at(2, third), delta: '{"x":1}' },
        { type: `${input}.done`, ...at(2, third), input: '{"x":1}' },
        { type: done, output_index: 2, item: { ...third, ...ended, input: '{"x":1}' } },
      ].map((event, index) => ({ ...event, sequence_number: index + 2 })),
    );
    expect(writer.response().tools).toEqual([
      { type: 'custom', description: null, name: 'patch', format: { type: 'text' } },
      {
        type: 'namespace',
        description: null,
        name: 'agents',
        tools: [{ type: 'function', description: null, name: 'wait', parameters: null, strict: null }],
      },
    ]);
  });

  it('that is cancelled keeps what there was', () => {
    const writer = new ResponseEvents(optionsOf());
    writer.begin([reasoning('R'), text('T')]);
    writer.abandon('cancelled');
    const output = [thought(0, 'R'), message(1, 'T', 'incomplete')];
    expect(writer.response()).toEqual({ ...response, status: 'cancelled', output });
  });

  it('that is cancelled inside the call of a custom tool has its input so far, without another event', () => {
    const writer = new ResponseEvents(optionsOf({ tools: [{ type: 'custom', name: 'patch' }] }));
    const first = { type: 'tool-call-delta', choice: 0, index: 0, id: 'call_1', name: 'patch' } as const;
    const sent = parsed(
      writer.begin([
        { ...first, arguments: '{"x":' },
        { ...first, arguments: '1' },
      ]),
    );
    writer.abandon('cancelled');
    expect(writer.response().output).toEqual([
      expect.objectContaining({ type: 'custom_tool_call', status: 'completed', input: '{"x":' }),
      expect.objectContaining({ type: 'custom_tool_call', status: 'incomplete', input: '1' }),
    ]);
    expect(writer.ending()).toBe('');
    expect(sent.filter((event) => (event as { type: string }).type.endsWith('.delta'))).toEqual([
      expect.objectContaining({ delta: '{"x":' }),
    ]);
  });

  it('tells the logprobs of its text: not those of reasoning and calls, and those of held-back tokens with their text', () => {
    const token = (value: string, bytes?: Uint8Array): TokenLogprob => ({
      id: 1,
      text: value,
      logprob: -1,
      ...(bytes ? { bytes } : {}),
      top: [{ id: 2, text: 'x', logprob: -2 }],
    });
    const body = { include: ['message.output_text.logprobs'], top_logprobs: 1 };
    const { events, response: built } = streamed(
      [
        text('', [token('<think>')]),
        reasoning('R'),
        text('', [token('R')]),
        text('A', [token('A')]),
        text('', [token('\uFFFD', Uint8Array.of(0xc3))]),
        text('é', [token('\uFFFD')]),
        call(0, start('a'), '{}'),
        text('', [token('{}')]),
        finish('tool_calls'),
      ],
      body,
    );
    const short = (value: string) => ({ token: value, logprob: -1, top_logprobs: [{ token: 'x', logprob: -2 }] });
    const long = (value: string, bytes: number[]): Logprob => ({
      token: value,
      bytes,
      logprob: -1,
      top_logprobs: [{ token: 'x', bytes: [120], logprob: -2 }],
    });
    const figures = [long('A', [65]), long('\\xc3', [0xc3]), long('\uFFFD', [])];
    const location = { item_id: `msg_${hex}o1`, output_index: 1, content_index: 0 };
    const [added, partAdded] = messageEvents(1, []) as [ItemEvent, ItemEvent];
    const two = [short('\\xc3'), short('\uFFFD')];
    const items: ItemEvent[] = [
      ...reasoningEvents(0, ['R']),
      added,
      partAdded,
      { type: 'response.output_text.delta', ...location, delta: 'A', logprobs: [short('A')] },
      { type: 'response.output_text.delta', ...location, delta: 'é', logprobs: two },
      { type: 'response.output_text.done', ...location, text: 'Aé', logprobs: [short('A'), ...two] },
      { type: 'response.content_part.done', ...location, part: textPart('Aé', figures) },
      { type: 'response.output_item.done', output_index: 1, item: message(1, 'Aé', 'completed', figures) },
      ...callEvents(2, 'a', ['{}']),
    ];
    const output = [thought(0, 'R'), message(1, 'Aé', 'completed', figures), called(2, 'a', '{}')];
    expect(events).toEqual(whole(items, { ...completed, output }, { ...response, top_logprobs: 1 }));
    expect(built.output).toEqual(output);
  });

  it('gives the logprobs of a first token without text to the text after it', () => {
    const token = (value: string): TokenLogprob => ({ id: 1, text: value, logprob: -1, top: [] });
    const body = { include: ['message.output_text.logprobs'] };
    const { response: built } = streamed([text('', [token('a')]), text('ab', [token('b')]), finish('stop')], body);
    const figures = ['a', 'b'].map((value) => ({
      token: value,
      bytes: [value.charCodeAt(0)],
      logprob: -1,
      top_logprobs: [],
    }));
    expect(built.output).toEqual([message(0, 'ab', 'completed', figures)]);
  });

  it('packs the reasoning if the request includes it', () => {
    const body = { include: ['reasoning.encrypted_content'], store: false };
    const { response: built } = streamed([reasoning('Thîs'), text('T'), finish('stop')], body);
    expect(built.output[0]).toEqual({ ...thought(0, 'Thîs'), encrypted_content: 'conch.VGjDrnM=' });
  });
});

describe('an unstreamed response', () => {
  it.each(cases)('of %s is what the stream ends with', async (_name, events, _items, ending) => {
    expect(await collected(events)).toEqual({ ...response, ...ending });
  });

  it('repeats the options of the request', async () => {
    const format = { type: 'json_schema', name: 'answer', schema: { type: 'object' }, strict: true, description: 'd' };
    const tool = { type: 'function', name: 'f', description: 'D', parameters: { type: 'object' }, strict: true };
    const body = {
      instructions: 'Be brief.',
      max_output_tokens: 9,
      max_tool_calls: 3,
      temperature: 0.5,
      top_p: 0.9,
      top_logprobs: 2,
      parallel_tool_calls: false,
      previous_response_id: 'resp_1',
      reasoning: { effort: 'low', summary: 'auto' },
      store: false,
      text: { format },
      tools: [tool, { type: 'function', name: 'g' }],
      tool_choice: { type: 'function', name: 'f' },
      truncation: 'auto',
      user: 'u',
      safety_identifier: 's',
      prompt_cache_key: 'k',
      prompt_cache_retention: '24h',
      metadata: { a: 'b' },
    };
    const built = await collected([text('{}'), finish('stop')], body);
    expect(built).toEqual({
      ...response,
      ...completed,
      ...body,
      output: [message(0, '{}')],
      text: { format, verbosity: 'medium' },
      tools: [tool, { type: 'function', name: 'g', description: null, parameters: null, strict: null }],
    });
  });
});

import { describe, expect, it } from 'vitest';
import { configOf } from '../../test/support/contract-fixtures.ts';
import { cutEverywhere, folded, outcomeOf, type Script, scriptedModel } from '../../test/support/scripted-model.ts';
import { vllmContract } from '../contracts/vllm.ts';
import { StatusError } from '../kserve/status.ts';
import type { ChatRequest } from '../requests/chat-request.ts';
import { chat } from './chat.ts';
import type { GenerateContext } from './generated-response.ts';

interface Requested extends Partial<ChatRequest> {
  readonly context?: Partial<GenerateContext>;
  readonly served?: Parameters<typeof scriptedModel>[1];
  readonly signal?: AbortSignal;
}

const tools: ChatRequest['tools'] = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];

/** What becomes of a chat with a backend that plays these scripts. */
async function ask(scripts: readonly [Script, ...Script[]], { context, served, signal, ...request }: Requested = {}) {
  const scripted = scriptedModel(scripts, served);
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true, ...request } as ChatRequest;
  const value = scripted.context(context);
  const { generation, ...response } = await chat(body, value, signal ?? new AbortController().signal);
  return { ...response, ...(await outcomeOf(generation)), sent: scripted.sent };
}

const text = (choice: number, words: string) => ({
  type: 'text-delta',
  choice,
  text: words,
  tokens: 1,
  logprobs: undefined,
});

describe('a chat', () => {
  it('is one inference, whose events come in order', async () => {
    const { events, sent, ignored, isStreamed } = await ask([{ tokens: ['Hel', 'lo'] }], {
      temperature: 0.5,
      max_tokens: 9,
      request_id: 'r',
    });
    expect(sent).toEqual([
      {
        id: expect.stringMatching(/^chatcmpl-r-[0-9a-f]{8}$/) as string,
        prompt: '<user>Hi\n<assistant>',
        parameters: { max_tokens: 9, temperature: 0.5 },
        isStreamed: true,
        outputs: ['text_output', 'finish_reason', 'num_input_tokens', 'num_output_tokens'],
        isCancelled: false,
      },
    ]);
    expect({ events, ignored, isStreamed }).toEqual({
      events: [
        { type: 'prompt-tokens', count: 5 },
        text(0, 'Hel'),
        text(0, 'lo'),
        { type: 'finish', choice: 0, reason: 'stop' },
        { type: 'usage', promptTokens: 5, completionTokens: 2 },
      ],
      ignored: [],
      isStreamed: true,
    });
  });

  it('has one inference and one seed for each choice', async () => {
    const { events, sent } = await ask([{ tokens: ['a'] }, { tokens: ['b', 'c'], end: 'length' }], { n: 2, seed: 7 });
    expect(folded(events)).toEqual([
      { text: 'a', reasoning: '', calls: [], finish: 'stop' },
      { text: 'bc', reasoning: '', calls: [], finish: 'length' },
    ]);
    expect(events.at(-1)).toEqual({ type: 'usage', promptTokens: 5, completionTokens: 3 });
    expect(sent.map(({ id, parameters }) => [id.slice(-2), parameters['seed']])).toEqual([
      ['-0', 7],
      ['-1', 8],
    ]);
  });

  it('says which stop sequence ended it, however its text is cut', async () => {
    for (const tokens of cutEverywhere('one <end> two')) {
      const requested = { stop: ['<end>'], context: { tellsStop: true } };
      const { events, sent } = await ask([{ tokens, end: 'length' }], requested);
      expect(folded(events)).toEqual([{ text: 'one ', reasoning: '', calls: [], finish: 'stop' }]);
      expect(events.find(({ type }) => type === 'finish')).toMatchObject({ stopText: '<end>' });
      expect(sent[0]?.parameters).toMatchObject({ stop: ['<end>'], include_stop_str_in_output: true });
    }
  });

  it('tells calls from text, however it is cut', async () => {
    for (const tokens of cutEverywhere('So: <tool_call>\n{"name": "f", "arguments": {"a": "<x>"}}\n</tool_call>')) {
      const { events } = await ask([{ tokens }], { tools, served: { toolCallParser: 'hermes' } });
      const [choice] = folded(events);
      expect({ ...choice, text: choice?.text.trim() }).toEqual({
        text: 'So:',
        reasoning: '',
        calls: ['f{"a": "<x>"}'],
        finish: 'tool_calls',
      });
    }
  });

  it('separates reasoning from text, counts it, and leaves it out on request', async () => {
    const thinks = { tokens: ['<think>', 'Hm', '.', '</think>', 'Yes'] };
    const served = { reasoningParser: 'qwen3' };
    const { events } = await ask([thinks], { served });
    expect(folded(events)).toEqual([{ text: 'Yes', reasoning: 'Hm.', calls: [], finish: 'stop' }]);
    expect(events.at(-1)).toEqual({ type: 'usage', promptTokens: 5, completionTokens: 5, reasoningTokens: 3 });
    const hidden = await ask([thinks], { served, include_reasoning: false });
    expect(folded(hidden.events)).toEqual([{ text: 'Yes', reasoning: '', calls: [], finish: 'stop' }]);
  });

  it('goes on with the final message, and echoes it', async () => {
    const messages: ChatRequest['messages'] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'So ' },
    ];
    const { events, sent } = await ask([{ tokens: ['long'] }], {
      messages,
      continue_final_message: true,
      add_generation_prompt: false,
      echo: true,
    });
    expect(sent[0]?.prompt).toBe('<user>Hi\n<assistant>So ');
    expect(folded(events)[0]?.text).toBe('So long');
  });

  it('names what has no effect', async () => {
    const { ignored } = await ask([{ tokens: ['a'] }], { chat_template_kwargs: { dial: 1 }, enable_thinking: false });
    expect(ignored).toEqual(['chat_template_kwargs.dial']);
  });

  it('waits for its template where that is not loaded, and refuses before what needs none', async () => {
    const served = { isLoaded: false };
    const { events } = await ask([{ tokens: ['a'] }], { served });
    expect(folded(events)[0]?.text).toBe('a');
    const { model, context } = scriptedModel([{ tokens: [] }], served);
    const body = { model: 'm', messages: [], top_logprobs: 1 } as unknown as ChatRequest;
    await expect(chat(body, context(), new AbortController().signal)).rejects.toMatchObject({ param: 'top_logprobs' });
    expect(model.loadedAssets()).toBeUndefined();
  });
});

describe('a chat that fails', () => {
  const broken = new StatusError('UNAVAILABLE', 'The connection broke.', { unreachable: true });

  it('in the middle has emitted what came before', async () => {
    const { events, error } = await ask([{ tokens: ['a', 'b'], end: broken }]);
    expect({ folded: folded(events), error }).toEqual({
      folded: [{ text: 'ab', reasoning: '', calls: [], finish: undefined }],
      error: 'server_unreachable',
    });
  });

  it('by ending without a finish is not complete', async () => {
    expect((await ask([{ tokens: ['a'], end: 'nothing' }])).error).toBe('backend_error');
  });

  it('is retried if nothing of it was emitted', async () => {
    // To separate reasoning from text, Conch reads an unstreamed response as it arrives.
    const requested = { stream: false, context: { retries: 1 }, served: { reasoningParser: 'qwen3' } };
    const { events, error, sent } = await ask([{ tokens: ['a'], end: broken }, { tokens: ['b'] }], requested);
    expect({ text: folded(events)[0]?.text, error }).toEqual({ text: 'b', error: undefined });
    expect(sent.map(({ id }) => id.replace(/^chatcmpl-\w+/, ''))).toEqual(['', '-again-1']);
  });
});

describe('a chat whose client disconnects', () => {
  it('is cancelled while it waits', async () => {
    const left = new AbortController();
    const scripted = scriptedModel([{ tokens: ['a'], end: 'hang' }]);
    const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true } as ChatRequest;
    const { generation } = await chat(body, scripted.context(), left.signal);
    const waiting = outcomeOf(generation);
    await new Promise(setImmediate);
    left.abort();
    expect(await waiting).toMatchObject({
      events: [{ type: 'prompt-tokens' }, { text: 'a' }],
      error: 'client_closed_request',
    });
    expect(scripted.sent[0]?.isCancelled).toBe(true);
  });

  it('is cancelled between two events', async () => {
    const scripted = scriptedModel([{ tokens: ['a', 'b'] }]);
    const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true, n: 2 } as ChatRequest;
    const { generation } = await chat(body, scripted.context(), new AbortController().signal);
    const received: string[] = [];
    const running = generation.start({
      text: () => {
        received.push('text');
        running.cancel();
      },
      event: ({ type }) => received.push(type),
      end: () => received.push('end'),
      fail: () => received.push('fail'),
    });
    await new Promise(setImmediate);
    expect(scripted.sent.map(({ isCancelled }) => isCancelled)).toEqual([true, true]);
    expect(received).toEqual(['prompt-tokens', 'text']);
  });
});

describe('a chat with a structure', () => {
  const choice = { guided_choice: ['yes', 'no'] };
  /** A release that cannot guide a response. */
  const old = vllmContract(configOf('text_input STRING 1', 'text_output STRING -1', { backend: 'vllm' }));

  it('is guided from its first token', async () => {
    const { sent, structuredHeader } = await ask([{ tokens: ['yes'] }], choice);
    expect(sent.map(({ parameters }) => parameters['structured_outputs'])).toEqual(['{"regex":"yes|no"}']);
    expect(structuredHeader).toBeUndefined();
  });

  it('is guided behind its reasoning', async () => {
    const requested = { ...choice, served: { reasoningParser: 'qwen3' }, max_tokens: 50 };
    const { events, sent } = await ask(
      [{ tokens: ['<think>', 'a'], end: 'length' }, { tokens: ['b', '</think>'] }, { tokens: ['yes'] }],
      requested,
    );
    expect(folded(events)).toEqual([{ text: 'yes', reasoning: 'ab', calls: [], finish: 'stop' }]);
    expect(events.at(-1)).toEqual({ type: 'usage', promptTokens: 5, completionTokens: 5, reasoningTokens: 4 });
    expect(
      sent.map(({ id, prompt, parameters: { max_tokens, structured_outputs } }) => [
        id.replace(/^chatcmpl-\w+/, ''),
        prompt.slice('<user>Hi\n<assistant>'.length),
        max_tokens,
        structured_outputs !== undefined,
      ]),
    ).toEqual([
      ['', '', 4, false],
      ['-more', '<think>a', 48, false],
      ['-answer', '<think>ab</think>\n\n', 46, true],
    ]);
  });

  it('is retried, with a correction, until it matches', async () => {
    const requested = { ...choice, stream: false, served: { contract: old } };
    const { events, sent, structuredHeader } = await ask([{ tokens: ['maybe'] }, { tokens: ['no'] }], requested);
    expect({ text: folded(events)[0]?.text, structuredHeader }).toEqual({
      text: 'no',
      structuredHeader: 'emulated; tries=2',
    });
    const [first = '', second = ''] = sent.map(({ prompt }) => prompt);
    expect(first).toContain('["yes","no"]');
    expect(second).toContain('<assistant>maybe\n<user>That answer does not have the form');
  });

  it('fails after the last try', async () => {
    const requested = { ...choice, stream: false, served: { contract: old }, context: { structuredRetries: 1 } };
    await expect(ask([{ tokens: ['maybe'] }], requested)).rejects.toMatchObject({
      code: 'structured_output_invalid',
      param: 'guided_choice',
      headers: { 'x-conch-structured': 'emulated; tries=2' },
    });
  });

  it('that streams ends with the first wrong character', async () => {
    const requested = { ...choice, served: { contract: old } };
    const { events, error, sent } = await ask([{ tokens: ['n', 'ay', '!'] }], requested);
    expect({ text: folded(events)[0]?.text, error }).toEqual({ text: 'n', error: 'structured_output_invalid' });
    expect(sent[0]?.isCancelled).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../../test/support/scripted-model.ts';
import { ApiError } from '../errors.ts';
import { planChat } from './chat-plan.ts';
import { planCompletion } from './completion-plan.ts';

const { model, context, sent } = scriptedModel([{ tokens: [] }]);
const settings = { ...context({ retries: 3 }) };
const assets = model.loadedAssets() ?? { eosTokenIds: [] };

const chatOf = (request: object) =>
  planChat(
    { model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...request },
    {
      model,
      assets,
      settings,
    },
  );
const completionOf = (request: object) =>
  planCompletion({ model: 'm', prompt: 'Hi', ...request }, { model, assets, settings });

/** What a plan is refused with. */
function refusal(plan: () => unknown): unknown {
  try {
    plan();
  } catch (error) {
    return error instanceof ApiError ? [error.code, error.param] : error;
  }
  return 'planned';
}

describe('the plan of a chat', () => {
  it('holds all decisions', () => {
    const { options, prompt, model: planned, ...plan } = chatOf({ n: 2, seed: 1, stop: 'x', logprobs: true });
    expect(plan).toEqual({
      isStreamed: false,
      choicesPerPrompt: 2,
      sampling: { seed: 1, stop: ['x'] },
      beams: undefined,
      logprobs: 0,
      structure: undefined,
      check: undefined,
      strategy: { reasonsFirst: false, asksAgain: true, candidates: undefined, retries: 3 },
      continuesText: false,
      promptField: 'messages',
      tellsStop: false,
      needsCounts: true,
      timeout: undefined,
      ignored: [],
      messages: [{ role: 'user', content: 'Hi' }],
      images: [],
      use: undefined,
      prefix: '',
      continued: undefined,
      hidesReasoning: false,
    });
    expect(options).toMatchObject({ choices: 2, wantsLogprobs: true, head: { model: 'm', fingerprint: 'fp' } });
    expect([planned, prompt.template, prompt.input.addGenerationPrompt]).toEqual([model, assets.template, true]);
  });

  it.each([
    ['a stream is given as it comes', { stream: true }, { reasonsFirst: false, asksAgain: false, retries: 0 }],
    [
      'a structure follows the reasoning',
      { guided_choice: ['a'] },
      { reasonsFirst: true, asksAgain: true, retries: 3 },
    ],
    [
      'a message that goes on does not reason again',
      { guided_choice: ['a'], continue_final_message: true, add_generation_prompt: false },
      { reasonsFirst: false, asksAgain: true, retries: 3 },
    ],
  ])('%s', (_, request, strategy) => {
    expect(chatOf(request).strategy).toEqual({ candidates: undefined, ...strategy });
  });

  it.each<[object, string, string]>([
    [{ top_logprobs: 2 }, 'invalid_request', 'top_logprobs'],
    [{ max_tokens: 1, max_completion_tokens: 2 }, 'invalid_request', 'max_tokens'],
    [{ min_tokens: 3, max_tokens: 2 }, 'invalid_request', 'min_tokens'],
    [{ tool_choice: 'required' }, 'invalid_request', 'tool_choice'],
    [{ use_beam_search: true }, 'unsupported_parameter', 'use_beam_search'],
    [{ logit_bias: { 1: 1 } }, 'unsupported_parameter', 'logit_bias'],
    [{ guided_choice: ['a'], guided_regex: 'a' }, 'invalid_request', 'guided_choice'],
    [{ stream_options: {} }, 'invalid_request', 'stream_options'],
    [{ n: 1025 }, 'invalid_request', 'n'],
    [{ chat_template_kwargs: { tools: [] } }, 'invalid_request', 'chat_template_kwargs.tools'],
    [{ continue_final_message: true, add_generation_prompt: true }, 'invalid_request', 'continue_final_message'],
    [{ tools: [{ type: 'function', function: { name: 'f' } }] }, 'unsupported_parameter', 'tools'],
    [
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
      'unsupported_parameter',
      'messages[0].content[0]',
    ],
  ])('refuses %j', (request, code, param) => {
    expect(refusal(() => chatOf(request))).toEqual([code, param]);
  });

  it('shares equal tools between requests', () => {
    const tools = (name: string) => [{ type: 'function', function: { name, parameters: { type: 'object' } } }];
    const toolsOf = (name: string) => chatOf({ tools: tools(name), tool_choice: 'required' }).use?.tools;
    expect(toolsOf('f')).toEqual(tools('f'));
    expect(toolsOf('f')).toBe(toolsOf('f'));
    expect(toolsOf('g')).not.toBe(toolsOf('f'));
  });
});

describe('the plan of a completion', () => {
  it('holds all decisions', () => {
    const { options, model: planned, ...plan } = completionOf({ prompt: ['a', 'b'], n: 2, best_of: 3, echo: true });
    expect(plan).toEqual({
      isStreamed: false,
      choicesPerPrompt: 2,
      sampling: {},
      beams: undefined,
      logprobs: undefined,
      structure: undefined,
      check: undefined,
      strategy: { reasonsFirst: false, asksAgain: false, candidates: 3, retries: 3 },
      continuesText: true,
      promptField: 'prompt',
      tellsStop: false,
      needsCounts: true,
      timeout: undefined,
      ignored: [],
      rawPrompts: ['a', 'b'],
      echoes: true,
      isEchoOnly: false,
      needsTokenizer: false,
    });
    expect([planned, options.choices]).toEqual([model, 4]);
  });

  it.each<[object, string, string]>([
    [{ echo: true, logprobs: 1 }, 'unsupported_parameter', 'echo'],
    [{ max_tokens: 0 }, 'invalid_request', 'max_tokens'],
    [{ best_of: 1, n: 2 }, 'invalid_request', 'best_of'],
    [{ best_of: 2, stream: true }, 'invalid_request', 'best_of'],
    [{ prompt: ['a', ''] }, 'invalid_request', 'prompt'],
    [{ prompt: [1, 2] }, 'invalid_request', 'prompt'],
    [{ prompt: Array.from({ length: 513 }, () => 'a'), n: 2 }, 'invalid_request', 'n'],
  ])('refuses %j', (request, code, param) => {
    expect(refusal(() => completionOf(request))).toEqual([code, param]);
  });
});

describe('exact token counts', () => {
  const onRequest = { ...settings, needsCounts: false };
  const needs = (request: object, own: object = onRequest) => {
    const body = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }], ...request };
    return planChat(body, { model, assets, settings: { ...settings, ...own } }).needsCounts;
  };

  it.each<[string, boolean, object]>([
    ['a stream without usage', false, { stream: true, stream_options: { include_usage: false } }],
    ['a stream with usage in the end', true, { stream: true, stream_options: { include_usage: true } }],
    ['a stream with usage on every chunk', true, { stream: true, stream_options: { continuous_usage_stats: true } }],
    ['a whole response', true, {}],
    ['a guided stream, whose limit is shared by several inferences', true, { stream: true, guided_choice: ['a'] }],
  ])('of %s: %s', (_, isNeeded, request) => {
    expect(needs(request)).toBe(isNeeded);
  });

  it('are needed for every stream, unless usage is reported only on request', () => {
    expect([needs({ stream: true }, {}), needs({ stream: true }, { needsCounts: true })]).toEqual([true, true]);
  });

  it('are needed of completions alike', () => {
    const of = (request: object) =>
      planCompletion({ model: 'm', prompt: 'Hi', ...request }, { model, assets, settings: onRequest }).needsCounts;
    expect([of({}), of({ stream: true }), of({ stream: true, stream_options: { include_usage: true } })]).toEqual([
      true,
      false,
      true,
    ]);
  });
});

it('sends nothing', () => {
  expect(sent).toEqual([]);
});

import { describe, expect, it } from 'vitest';
import { dataUrl, sample } from '../../test/support/image-fixtures.ts';
import { scriptedModel } from '../../test/support/scripted-model.ts';
import { scriptedTokens } from '../../test/support/scripted-tokens.ts';
import type { GenerateEvent } from '../contracts/events.ts';
import { ChatRequest } from '../requests/chat-request.ts';
import { CompletionRequest } from '../requests/completion-request.ts';
import { parseRequest } from '../requests/fields.ts';
import { chat } from './chat.ts';
import { complete } from './completion.ts';
import type { GenerateContext } from './generated-response.ts';
import { runInto } from './run-into.ts';

type Json = Record<string, unknown>;

const messages = [{ role: 'user', content: 'a' }];
const newSignal = () => new AbortController().signal;
const script = { responses: ['{}'], reason: 'length' as const };

async function ask(context: GenerateContext, body: Json): Promise<GenerateEvent[]> {
  const { request } = parseRequest(ChatRequest, { model: 'm', messages, ...body });
  const { generation } = await chat(request, context, newSignal());
  const events: GenerateEvent[] = [];
  await runInto(generation, { text: () => undefined, event: (event) => events.push(event) });
  return events;
}

/** What Conch's own vLLM model is sent for a chat. */
async function sentFor(body: Json) {
  const scripted = scriptedTokens(script);
  await ask(scripted.context(), body);
  const [first] = scripted.sent;
  return { ...first?.parameters, ...first?.inputs };
}

const json = { type: 'object', properties: {}, additionalProperties: false };
const tag = { structures: [], triggers: [] };
const usual = { max_tokens: null, stream: false };

describe('the fields of vLLM', () => {
  it.each<[field: string, body: Json, sent: Json, neutral?: Json]>([
    ['priority', { priority: 3 }, { priority: [3] }, { priority: 0 }],
    ['cache_salt', { cache_salt: 'x' }, { cache_salt: 'x' }, { cache_salt: null }],
    ['thinking_token_budget', { thinking_token_budget: 5 }, { thinking_token_budget: 5 }],
    [
      'repetition_detection',
      { repetition_detection: { max_pattern_size: 9 } },
      { repetition_detection: { max_pattern_size: 9 } },
      { repetition_detection: {} },
    ],
    ['vllm_xargs', { vllm_xargs: { a: [1] } }, { extra_args: { a: [1] } }, { vllm_xargs: {} }],
    [
      'mm_processor_kwargs',
      { mm_processor_kwargs: { num_crops: 4 } },
      { mm_processor_kwargs: { num_crops: 4 } },
      { mm_processor_kwargs: {} },
    ],
    [
      'logprob_token_ids',
      { logprobs: true, logprob_token_ids: [97, 98] },
      { logprobs: 0, logprob_token_ids: [97, 98] },
    ],
    ['prompt_logprobs', { prompt_logprobs: 3 }, { prompt_logprobs: 3 }, { prompt_logprobs: null }],
    ['return_token_ids', { return_token_ids: true }, {}, { return_token_ids: false }],
    ['truncate_prompt_tokens', { truncate_prompt_tokens: 9 }, {}, { truncate_prompt_tokens: null }],
    ['truncation_side', { truncation_side: 'left' }, {}],
    ['structural_tag', { structural_tag: tag }, { structured_outputs: { structural_tag: tag } }],
    [
      'structured_outputs.structural_tag',
      { structured_outputs: { structural_tag: JSON.stringify(tag) } },
      { structured_outputs: { structural_tag: tag } },
    ],
    [
      'response_format',
      { response_format: { type: 'structural_tag', ...tag } },
      { structured_outputs: { structural_tag: { type: 'structural_tag', ...tag } } },
    ],
    [
      'guided_whitespace_pattern',
      { guided_json: json, guided_whitespace_pattern: ' ?' },
      { structured_outputs: { json, whitespace_pattern: ' ?' } },
    ],
    [
      'structured_outputs.disable_any_whitespace',
      { structured_outputs: { json, disable_any_whitespace: true, disable_additional_properties: true } },
      { structured_outputs: { json, disable_any_whitespace: true, disable_additional_properties: true } },
    ],
  ])("%s: Conch's own model is sent it, the stock backend refuses it", async (field, body, sent, neutral) => {
    expect(await sentFor(body)).toEqual({ ...usual, ...sent });
    await expect(ask(scriptedModel([{ tokens: ['x'] }]).context(), body)).rejects.toMatchObject({
      code: 'unsupported_parameter',
      param: field,
    });
    if (!neutral) return;
    expect(await sentFor(neutral)).toEqual(usual);
    await expect(ask(scriptedModel([{ tokens: ['x'] }]).context(), neutral)).resolves.toBeDefined();
  });

  it.each<[Json, param: string]>([
    [{ logprob_token_ids: [97] }, 'logprob_token_ids'],
    [{ logprobs: true, logprob_token_ids: [130] }, 'logprob_token_ids'],
    [{ guided_whitespace_pattern: ' ?' }, 'guided_whitespace_pattern'],
  ])('%j is an error of %s', async (body, param) => {
    await expect(sentFor(body)).rejects.toMatchObject({ code: 'invalid_request', param });
  });

  it('guides only what follows the reasoning with the options of a structured output', async () => {
    const scripted = scriptedTokens(
      (sent) => ({
        responses: [sent.parameters['structured_outputs'] ? '{}' : '<think>a</think>'],
        reason: sent.parameters['structured_outputs'] ? 'length' : 'stop',
      }),
      { reasoningParser: 'deepseek_r1' },
    );
    const body = { structured_outputs: { json, disable_any_whitespace: true } };
    await ask(scripted.context(), { ...body, prompt_logprobs: 0, return_token_ids: true });
    expect(
      scripted.sent.map(({ parameters }) => [parameters['structured_outputs'], parameters['prompt_logprobs']]),
    ).toEqual([
      [undefined, 0],
      [{ json, disable_any_whitespace: true }, undefined],
    ]);
  });
});

it('echo with logprobs is refused where the backend returns no logprobs of the prompt', async () => {
  const body = { model: 'm', prompt: 'a', echo: true, logprobs: 1 };
  const { request } = parseRequest(CompletionRequest, body);
  const context = scriptedModel([{ tokens: ['x'] }]).context();
  await expect(complete(request, context, newSignal())).rejects.toMatchObject({
    code: 'unsupported_parameter',
    param: 'echo',
    message: 'echo: cannot be combined with logprobs, because the backend returns no logprobs of the prompt.',
  });
});

it('the engine counts a prompt with images, which it expands', async () => {
  const content = [
    { type: 'text', text: 'ab' },
    { type: 'image_url', image_url: { url: dataUrl(sample('png')) } },
  ];
  const scripted = scriptedTokens({ ...script, promptTokens: 40 }, { imagePlaceholder: '#' });
  const events = await ask(scripted.context(), { messages: [{ role: 'user', content }] });
  expect(events.filter(({ type }) => type === 'usage' || type === 'prompt-tokens')).toMatchObject([
    { type: 'prompt-tokens', count: 40 },
    { type: 'usage', promptTokens: 40, completionTokens: 2 },
  ]);
  expect(scripted.sent.map(({ inputs }) => inputs)).toEqual([{ stream: false, image: 1 }]);
});

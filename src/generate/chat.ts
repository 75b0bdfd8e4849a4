import type { GenerateEvents } from '../contracts/events.ts';
import { ApiError } from '../errors.ts';
import { checkToolSchemas } from '../json-schema/check.ts';
import { during } from '../request-watch.ts';
import type { ChatMessage, ChatRequest } from '../requests/chat-request.ts';
import { beamsOf, samplingOf, unusedByBeams } from '../requests/sampling.ts';
import { structureOf } from '../requests/structure.ts';
import { checkToolMessages, toolUseOf } from '../requests/tools.ts';
import { type Answer, answerOptions, type GenerateContext, requireCounts, withLength } from './answer.ts';
import { answerForm } from './answer-form.ts';
import { answerReading } from './answer-reading.ts';
import { renderPrompt } from './chat-prompt.ts';
import { type GenerationOptions, generate } from './generation.ts';
import { guidedCheck } from './guided-check.ts';
import { guidedStructure } from './guided-structure.ts';
import { imagesOf } from './images.ts';
import { openingOf } from './parsers.ts';
import { generateReasoned, type ReasoningPhase } from './reasoned-form.ts';
import { generateChecked } from './structured.ts';
import { type Correct, refuseBesideEmulation } from './structured-emulation.ts';
import { corrected } from './structured-prompt.ts';
import { refuseUnsupported } from './support.ts';
import { withoutReasoning } from './without-reasoning.ts';

/** Answers a conversation. */
export async function chat(request: ChatRequest, context: GenerateContext, signal: AbortSignal): Promise<Answer> {
  const model = context.findModel(request.model);
  const logprobs = chatLogprobs(request);
  const sampling = withLength(samplingOf(request, model.defaults), maxTokensOf(request) ?? model.defaults.max_tokens);
  const offered = toolUseOf(request);
  checkToolSchemas(request.tools ?? []);
  checkToolMessages(request.messages);
  const wanted = { wanted: structureOf(request), use: offered, retries: context.structuredRetries };
  const { structure: form, emulation, use } = answerForm(model, wanted);
  const choices = request.n ?? 1;
  const beams = beamsOf(request, choices);
  refuseUnsupported(model, { sampling, beams, logprobs, structure: form });
  const structure = guidedStructure(model, form);
  if (emulation && beams) refuseBesideEmulation(emulation, beams.field);
  const options = answerOptions(request, {
    idPrefix: 'chatcmpl',
    model,
    choices,
    wantsLogprobs: logprobs !== undefined,
  });
  await requireCounts(model, options);
  const shown = await imagesOf(request.messages, { model, settings: context.images, choices, signal });
  const asked = shown.messages === request.messages ? request : { ...request, messages: [...shown.messages] };
  const render = () => renderPrompt(asked, { model, use, emulation });
  const { prompt, template, ignored, messages } = await during(context.watch, 'template', render);
  const continued = request.continue_final_message ? finalAssistantText(request.messages) : undefined;
  const reading = await answerReading({
    model,
    template,
    use,
    isGuided: structure !== undefined,
    opening: openingOf(prompt, continued),
    sampling,
  });
  const generation = {
    model,
    requestId: options.inferenceId,
    prompts: [{ text: prompt }],
    images: shown.images,
    choicesPerPrompt: choices,
    sampling: reading.sampling,
    beams,
    logprobs,
    structure,
    parsers: reading.parsers,
    stream: request.stream ?? false,
    retries: request.stream ? 0 : context.retries,
    continuesText: request.continue_final_message ?? false,
    prefixes: [request.echo ? finalAssistantText(request.messages) : ''],
    promptField: 'messages',
    signal,
    watch: context.watch,
    timeout: context.timeout,
    client: context.client,
    guides: context.guides,
    tellsStop: context.tellsStop ?? false,
  } as const;
  // An answer that goes on with a message cannot be followed by a complaint about it.
  const correct: Correct | undefined = request.continue_final_message
    ? undefined
    : async (wrong) =>
        (await renderPrompt({ ...request, messages: corrected(messages, wrong) }, { model, use })).prompt;
  const begin = (asked: GenerationOptions) =>
    asked.structure ? generateGuided(asked, reading.phase) : generate(asked);
  const held = emulation ?? guidedCheck(structure, { retries: context.structuredRetries, ...(use ? { use } : {}) });
  const { events, structuredHeader } = held
    ? await generateChecked(generation, held, { begin, correct })
    : { events: await begin(generation), structuredHeader: undefined };
  const hidesReasoning = request.include_reasoning === false;
  return {
    options,
    events: hidesReasoning ? withoutReasoning(events) : events,
    isStreamed: request.stream ?? false,
    ignored: [...shown.ignored, ...ignored, ...unusedByBeams(request, beams)],
    structuredHeader,
  };
}

/** An answer that must have a form has it from its beginning, or where its reasoning ends. */
function generateGuided(options: GenerationOptions, phase: ReasoningPhase | undefined): Promise<GenerateEvents> {
  return phase && !options.beams && !options.continuesText ? generateReasoned(options, phase) : generate(options);
}

function chatLogprobs(request: ChatRequest): number | undefined {
  const { logprobs, top_logprobs: top } = request;
  if (typeof top === 'number' && !logprobs)
    throw new ApiError('invalid_request', 'top_logprobs: only allowed when logprobs is true.', {
      param: 'top_logprobs',
    });
  return logprobs ? (top ?? 0) : undefined;
}

function maxTokensOf(request: ChatRequest): number | null | undefined {
  const { max_completion_tokens: current, max_tokens: deprecated } = request;
  if (typeof current === 'number' && typeof deprecated === 'number' && current !== deprecated)
    throw new ApiError('invalid_request', 'max_tokens: differs from max_completion_tokens; send one of them.', {
      param: 'max_tokens',
    });
  return current ?? deprecated;
}

function finalAssistantText(messages: readonly ChatMessage[]): string {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || !last.content) return '';
  return typeof last.content === 'string' ? last.content : last.content.map((part) => part.text ?? '').join('');
}

import type { GenerateEvents } from '../contracts/events.ts';
import { ApiError } from '../errors.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { ChatMessage, ChatRequest } from '../openai/chat-request.ts';
import { beamsOf, samplingOf, unusedByBeams } from '../openai/sampling.ts';
import { checkToolSchemas } from '../openai/schema-check.ts';
import { chatShape } from '../openai/shapes.ts';
import { structureOf } from '../openai/structure.ts';
import { checkToolMessages, type ToolUse, toolUseOf } from '../openai/tools.ts';
import type { ChatTemplate, TemplateMessage } from '../prompt/chat-template.ts';
import { withoutDoubledBos } from '../prompt/token-prompt.ts';
import { type Answer, answerOptions, type GenerateContext, requireCounts, withLength } from './answer.ts';
import { answerForm } from './answer-form.ts';
import { answerReading } from './answer-reading.ts';
import { type GenerationOptions, generate } from './generation.ts';
import { formatsOf, openingOf, refuseTools } from './parsers.ts';
import { generateReasoned, type ReasoningPhase } from './reasoned-form.ts';
import { generateEmulated } from './structured.ts';
import { type Correct, type Emulation, refuseBesideEmulation } from './structured-emulation.ts';
import { corrected, instructed, instructedByUser } from './structured-prompt.ts';
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
  const { structure, emulation, use } = answerForm(model, wanted);
  const choices = request.n ?? 1;
  const beams = beamsOf(request, choices);
  refuseUnsupported(model, { sampling, beams, logprobs, structure });
  if (emulation && beams) refuseBesideEmulation(emulation, beams.field);
  const options = answerOptions(request, { shape: chatShape, model, choices, wantsLogprobs: logprobs !== undefined });
  await requireCounts(model, options);
  const { prompt, template, ignored, messages } = await renderPrompt(request, { model, use, emulation });
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
    choicesPerPrompt: choices,
    sampling: reading.sampling,
    beams,
    logprobs,
    structure,
    parsers: reading.parsers,
    stream: request.stream ?? false,
    continuesText: request.continue_final_message ?? false,
    prefixes: [request.echo ? finalAssistantText(request.messages) : ''],
    promptField: 'messages',
    signal,
    timeout: context.timeout,
  } as const;
  // An answer that goes on with a message cannot be followed by a complaint about it.
  const correct: Correct | undefined = request.continue_final_message
    ? undefined
    : async (wrong) =>
        (await renderPrompt({ ...request, messages: corrected(messages, wrong) }, { model, use })).prompt;
  const { events, tries } = emulation
    ? await generateEmulated(generation, emulation, correct)
    : { events: await generateGuided(generation, reading.phase), tries: undefined };
  const hidesReasoning = request.include_reasoning === false;
  return {
    options,
    events: hidesReasoning ? withoutReasoning(events) : events,
    isStreamed: request.stream ?? false,
    ignored: [...ignored, ...unusedByBeams(request, beams)],
    structuredTries: tries,
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

interface RenderOptions {
  readonly model: ServedModel;
  readonly use: ToolUse | undefined;
  /** Told to the model in a message of its own, or in one that is there. */
  readonly emulation?: Emulation | undefined;
}

interface Rendered {
  readonly prompt: string;
  readonly template: ChatTemplate;
  /** What the template never reads. */
  readonly ignored: string[];
  /** What was rendered. */
  readonly messages: readonly ChatMessage[];
}

async function renderPrompt(request: ChatRequest, { model, use, emulation }: RenderOptions): Promise<Rendered> {
  const { template, tokenizer } = await model.assets();
  if (!template) throw noTemplate(model);
  if (use) refuseTools(model, template, formatsOf(model, template), use);
  const continues = request.continue_final_message ?? false;
  const addGenerationPrompt = request.add_generation_prompt ?? !continues;
  if (continues && addGenerationPrompt)
    throw new ApiError('invalid_request', 'continue_final_message: not together with add_generation_prompt.', {
      param: 'continue_final_message',
    });
  const variables = templateVariables(request, template);
  const render = async (messages: readonly ChatMessage[]): Promise<Rendered> => {
    const text = await template.render({
      messages: messages.map(templateMessage),
      ...(use ? { tools: use.tools } : {}),
      ...(request.documents ? { documents: request.documents } : {}),
      addGenerationPrompt,
      continueFinalMessage: continues,
      variables,
    });
    const prompt = model.addsSpecialTokens && tokenizer ? withoutDoubledBos(text, tokenizer) : text;
    return { prompt, template, ignored: unreadBy(template, request), messages };
  };
  if (!emulation) return render(request.messages);
  const inSystem = await render(instructed(request.messages, emulation)).catch(() => undefined);
  return inSystem ?? render(instructedByUser(request.messages, emulation));
}

/** What the request says to the template and the template never reads. */
function unreadBy(template: ChatTemplate, request: ChatRequest): string[] {
  const {
    chat_template_kwargs: variables,
    documents,
    add_generation_prompt: opening,
    enable_thinking: thinking,
  } = request;
  const unread = Object.keys(variables ?? {}).filter((name) => !template.mentions(name));
  return [
    ...unread.map((name) => `chat_template_kwargs.${name}`),
    ...(typeof thinking === 'boolean' && !template.mentions('enable_thinking') ? ['enable_thinking'] : []),
    ...(documents && !template.mentions('documents') ? ['documents'] : []),
    ...(opening === false && !request.continue_final_message && !template.mentions('add_generation_prompt')
      ? ['add_generation_prompt']
      : []),
  ];
}

/** A message without what is null; a refusal is what the assistant said, so it is text to the template. */
function templateMessage(message: ChatMessage): TemplateMessage {
  const content = message.role === 'assistant' ? (message.content ?? message.refusal) : message.content;
  const parts = Array.isArray(content)
    ? content.map((part) => (part.type === 'refusal' ? { type: 'text', text: part.refusal } : part))
    : content;
  const given = Object.entries({ ...message, content: parts }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return Object.fromEntries(given) as TemplateMessage;
}

/** Variables of every template that have a field of their own in the request. */
const ownFields = ['messages', 'tools', 'documents', 'add_generation_prompt', 'continue_final_message'];

function templateVariables(request: ChatRequest, template: ChatTemplate): Record<string, unknown> {
  const variables = { ...request.chat_template_kwargs };
  const misplaced = ownFields.find((name) => Object.hasOwn(variables, name));
  if (misplaced !== undefined)
    throw new ApiError('invalid_request', `chat_template_kwargs.${misplaced}: send it as a field of the request.`, {
      param: `chat_template_kwargs.${misplaced}`,
    });
  if (typeof request.enable_thinking === 'boolean') variables['enable_thinking'] ??= request.enable_thinking;
  if (typeof request.reasoning_effort !== 'string') return variables;
  if (!template.mentions('reasoning_effort'))
    throw new ApiError('unsupported_parameter', "reasoning_effort: this model's chat template has no such dial.", {
      param: 'reasoning_effort',
    });
  return { ...variables, reasoning_effort: request.reasoning_effort };
}

function noTemplate(model: ServedModel): ApiError {
  return new ApiError(
    'invalid_request',
    `The model ${model.name} has no chat template. Start Conch with --tokenizer ${model.name}=DIR (a folder with ` +
      `tokenizer_config.json), --chat-template ${model.name}=FILE or --history-template, or use /v1/completions.`,
    { param: 'messages' },
  );
}

function finalAssistantText(messages: readonly ChatMessage[]): string {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || !last.content) return '';
  return typeof last.content === 'string' ? last.content : last.content.map((part) => part.text ?? '').join('');
}

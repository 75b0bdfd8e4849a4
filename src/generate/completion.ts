import type { GenerateEvent } from '../contracts/events.ts';
import { ApiError } from '../errors.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { PromptAssets } from '../prompt/assets.ts';
import { refuseUnknownIds, textOfIds } from '../prompt/token-prompt.ts';
import type { CompletionRequest } from '../requests/completion-request.ts';
import type { Signal } from '../signal.ts';
import type { Tokenizer } from '../tokenizer.ts';
import { type CompletionPlan, decideCompletion, planCompletion } from './completion-plan.ts';
import type { GenerateContext, GeneratedResponse } from './generated-response.ts';
import { after, type MaybePromise } from './maybe-promise.ts';
import { readyGeneration } from './ready-generation.ts';
import { runPlan } from './run-plan.ts';
import type { Prompt } from './token-inputs.ts';
import { truncated } from './tokenization.ts';

type CompletionContext = Omit<GenerateContext, 'images'>;

/** Continues one or several texts. */
export async function complete(
  request: CompletionRequest,
  context: CompletionContext,
  signal: Signal,
): Promise<GeneratedResponse> {
  const model = context.findModel(request.model);
  const loaded = model.loadedAssets();
  const needsAssets = !loaded && decideCompletion(request, { model, settings: context }).needsTokenizer;
  const assets = needsAssets ? await model.assets() : loaded;
  const plan = planCompletion(request, { model, settings: context, assets });
  return runCompletion(plan, { context, signal, assets });
}

interface CompletionRun {
  readonly context: CompletionContext;
  readonly signal: Signal;
  /** Undefined if the plan needs no tokenizer and none is loaded. */
  readonly assets: PromptAssets | undefined;
}

/** Runs planned completions: prompts, generation. */
export function runCompletion(plan: CompletionPlan, run: CompletionRun): MaybePromise<GeneratedResponse> {
  return after(textsOf(plan, run.assets?.tokenizer), (prompts) => {
    const { options, isStreamed, ignored, sampling } = plan;
    if (plan.isEchoOnly)
      return { options, generation: readyGeneration(() => echoed(prompts, plan)), isStreamed, ignored };
    const { watch, client, guides, coalescing } = run.context;
    const { signal } = run;
    const prefixes = plan.echoes ? prompts.map(({ text }) => text) : [];
    return runPlan({ plan, images: [], signal, watch, client, guides, coalescing }, { prompts, prefixes, sampling });
  });
}

/** The prompts with a text for each: those that are token ids are decoded, and so is what is left of an echoed one. */
function textsOf(plan: CompletionPlan, tokenizer: Tokenizer | undefined): MaybePromise<readonly Prompt[]> {
  const { rawPrompts, model, echoes, tokenization } = plan;
  const truncates = echoes && tokenization?.truncation !== undefined;
  const texts = rawPrompts.flatMap((prompt) => (typeof prompt === 'string' ? [{ text: prompt }] : []));
  if (!tokenizer || (texts.length === rawPrompts.length && !truncates)) return texts;
  return Promise.all(
    rawPrompts.map(async (raw) => {
      const prompt = typeof raw === 'string' ? { text: raw } : await idsPrompt(raw, model, tokenizer);
      return truncates ? truncatedPrompt(prompt, plan, tokenizer) : prompt;
    }),
  );
}

async function truncatedPrompt({ text, ids }: Prompt, plan: CompletionPlan, tokenizer: Tokenizer): Promise<Prompt> {
  const { model, tokenization, sampling } = plan;
  const whole = ids ?? (await tokenizer.encode(text, { addSpecialTokens: addsSpecialTokens(plan) }));
  const rest = truncated(whole, tokenization?.truncation, { model, maxTokens: sampling.maxTokens });
  if (rest.length === whole.length) return { text, ids: whole };
  return { text: await tokenizer.decode(rest, { skipSpecialTokens: false }), ids: rest };
}

function addsSpecialTokens({ model, tokenization }: CompletionPlan): boolean {
  return tokenization?.addSpecialTokens ?? model.addsSpecialTokens;
}

async function idsPrompt(ids: readonly number[], model: ServedModel, tokenizer: Tokenizer): Promise<Prompt> {
  if (!model.contract.speaksTokens) {
    const text = await textOfIds(tokenizer, ids, model.addsSpecialTokens);
    if (text === '') throw new ApiError('invalid_request', 'prompt: must not be empty.', { param: 'prompt' });
    return { text };
  }
  await refuseUnknownIds(tokenizer, ids);
  return { text: await tokenizer.decode(ids, { skipSpecialTokens: false }), ids: Int32Array.from(ids) };
}

/** `echo` with `max_tokens: 0` requests only the prompts: nothing is generated. */
async function echoed(prompts: readonly Prompt[], plan: CompletionPlan): Promise<GenerateEvent[]> {
  const { model, choicesPerPrompt, reports } = plan;
  const { tokenizer } = await model.assets();
  const options = { addSpecialTokens: addsSpecialTokens(plan) };
  const tokens =
    tokenizer && reports?.ids
      ? await Promise.all(prompts.map(async ({ text, ids }) => ids ?? tokenizer.encode(text, options)))
      : undefined;
  const events: GenerateEvent[] = [];
  prompts.forEach(({ text }, index) => {
    for (let offset = 0; offset < choicesPerPrompt; offset++) {
      const choice = index * choicesPerPrompt + offset;
      const ids = tokens?.[index];
      if (ids) events.push({ type: 'prompt-ids', choice, ids });
      events.push({ type: 'text-delta', choice, text, tokens: 0, logprobs: undefined });
      events.push({ type: 'finish', choice, reason: 'length' });
    }
  });
  if (tokenizer) {
    const counts = await Promise.all(
      prompts.map(async ({ text, ids }, index) => (ids ?? tokens?.[index])?.length ?? tokenizer.count(text, options)),
    );
    const promptTokens = counts.reduce((sum, count) => sum + count, 0);
    events.push({ type: 'usage', promptTokens, completionTokens: 0 });
  }
  return events;
}

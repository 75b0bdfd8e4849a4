import { during } from '../request-watch.ts';
import type { ChatRequest } from '../requests/chat-request.ts';
import type { Signal } from '../signal.ts';
import { type ChatPlan, planChat, refuseChat } from './chat-plan.ts';
import { rewritePrompt, type WrittenPrompt, writePrompt } from './chat-prompt.ts';
import { staged, WithoutReasoning } from './event-stage.ts';
import type { GenerateContext, GeneratedResponse } from './generated-response.ts';
import { readImages, type WithImages } from './images.ts';
import { after, type MaybePromise } from './maybe-promise.ts';
import { openingOf } from './parsers.ts';
import { planParsing } from './parsing-plan.ts';
import { mayRefuseGuide, unlessRefused } from './refused-guide.ts';
import { runPlan } from './run-plan.ts';
import type { WriteCorrection } from './structured-emulation.ts';
import { corrected } from './structured-prompt.ts';

/** Responds to a conversation. If everything is loaded, nothing is awaited before the first inference. */
export async function chat(request: ChatRequest, context: GenerateContext, signal: Signal): Promise<GeneratedResponse> {
  const model = context.findModel(request.model);
  const loaded = model.loadedAssets();
  if (!loaded) refuseChat(request, { model, settings: context });
  const assets = loaded ?? (await model.assets());
  const facts = { model, settings: context, assets };
  const plan = planChat(request, facts);
  const run = (): MaybePromise<GeneratedResponse> => runChat(plan, context, signal);
  if (!mayRefuseGuide(plan)) return run();
  return unlessRefused(plan, run, () => runChat(planChat(request, { ...facts, guidesTools: false }), context, signal));
}

/** The fields that the plan of a chat ignores. Images may add to them, once they are loaded. */
export async function ignoredByPlan(
  request: ChatRequest,
  context: Omit<GenerateContext, 'watch'>,
): Promise<readonly string[]> {
  const model = context.findModel(request.model);
  return planChat(request, { model, settings: context, assets: await model.assets() }).ignored;
}

/** Runs a planned chat: images, prompt, reading, generation. */
export function runChat(plan: ChatPlan, context: GenerateContext, signal: Signal): MaybePromise<GeneratedResponse> {
  return after(loadImages(plan, context, signal), ({ messages, images, ignored }) =>
    after(writtenPrompt(plan, messages, context), (written) =>
      after(parsingPlanOf(plan, written), ({ sampling, parsers, phase }) => {
        const { watch, client, guides, coalescing } = context;
        const prompts = [{ text: written.prompt }];
        const correct = correctionOf(plan, written);
        const response = runPlan(
          { plan, images, signal, watch, client, guides, coalescing },
          { prompts, prefixes: [plan.prefix], sampling, parsers, phase, correct, ignored },
        );
        return plan.hidesReasoning ? after(response, hideReasoning) : response;
      }),
    ),
  );
}

/** Fetches the images, and replaces each with its placeholder. */
function loadImages(plan: ChatPlan, context: GenerateContext, signal: Signal): MaybePromise<WithImages> {
  const { messages, images, model, choicesPerPrompt: choices } = plan;
  if (images.length === 0) return { messages, images: [], ignored: [] };
  return readImages(messages, images, { model, settings: context.images, choices, signal });
}

function writtenPrompt(
  { prompt, instruction }: ChatPlan,
  messages: WithImages['messages'],
  { watch }: GenerateContext,
): MaybePromise<WrittenPrompt> {
  return during(watch, 'template', () => writePrompt(prompt, messages, instruction));
}

function parsingPlanOf({ model, prompt, use, structure, sampling, continued }: ChatPlan, written: WrittenPrompt) {
  const opening = openingOf(written.prompt, continued);
  return planParsing({ model, template: prompt.template, use, isGuided: structure !== undefined, opening, sampling });
}

/** A response that continues a message cannot be followed by a correction of it. */
function correctionOf({ continuesText, prompt }: ChatPlan, { messages }: WrittenPrompt): WriteCorrection | undefined {
  if (continuesText) return undefined;
  return async (wrong) => (await rewritePrompt(prompt, corrected(messages, wrong))).prompt;
}

function hideReasoning(response: GeneratedResponse): GeneratedResponse {
  return { ...response, generation: staged(response.generation, (out) => new WithoutReasoning(out)) };
}

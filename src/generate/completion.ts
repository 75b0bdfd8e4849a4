import type { GenerateEvent, GenerateEvents } from '../contracts/events.ts';
import { ApiError } from '../errors.ts';
import type { ServedModel } from '../models/served-model.ts';
import { refuseUnknownIds, textOfIds } from '../prompt/token-prompt.ts';
import type { CompletionRequest } from '../requests/completion-request.ts';
import { beamsOf, samplingOf, unusedByBeams } from '../requests/sampling.ts';
import { structureOf } from '../requests/structure.ts';
import { type Answer, answerOptions, type GenerateContext, requireCounts, withLength } from './answer.ts';
import { bestOf } from './best-of.ts';
import { type GenerationOptions, generate } from './generation.ts';
import { guidedCheck } from './guided-check.ts';
import { guidedStructure } from './guided-structure.ts';
import { generateChecked } from './structured.ts';
import { emulationOf, refuseBesideEmulation } from './structured-emulation.ts';
import { refuseUnsupported } from './support.ts';
import type { Prompt } from './token-inputs.ts';

/** Continues one or several texts. */
export async function complete(
  request: CompletionRequest,
  context: Omit<GenerateContext, 'images'>,
  signal: AbortSignal,
): Promise<Answer> {
  const model = context.findModel(request.model);
  const logprobs = request.logprobs ?? undefined;
  checkEcho(request);
  const perPrompt = request.n ?? 1;
  const beams = beamsOf(request, perPrompt);
  const candidates = beams ? perPrompt : candidatesOf(request, perPrompt);
  const maxTokens = request.max_tokens ?? model.defaults.max_tokens;
  const sampling = withLength(samplingOf(request, model.defaults), maxTokens);
  const ranking = candidates > perPrompt ? (logprobs ?? 0) : logprobs;
  const wanted = structureOf(request);
  if (logprobs === undefined && ranking !== undefined) refuseRanking(model);
  const emulation = emulationOf(model, wanted, context.structuredRetries);
  const form = emulation ? undefined : wanted;
  refuseUnsupported(model, { sampling, beams, logprobs: ranking, structure: form }, 'logprobs');
  const structure = guidedStructure(model, form);
  const held = emulation ?? guidedCheck(structure, { retries: context.structuredRetries });
  if (emulation && beams) refuseBesideEmulation(emulation, beams.field);
  if (emulation && candidates > perPrompt) refuseBesideEmulation(emulation, 'best_of');
  const prompts = await promptsOf(request.prompt, model);
  const options = answerOptions(request, {
    idPrefix: 'cmpl',
    model,
    choices: prompts.length * perPrompt,
    inferences: prompts.length * candidates,
    wantsLogprobs: logprobs !== undefined,
  });
  await requireCounts(model, options, { asksServer: maxTokens !== 0 });
  const isStreamed = request.stream ?? false;
  const prefixes = request.echo ? prompts.map(({ text }) => text) : [];
  if (maxTokens === 0) return { options, events: echoed(prompts, perPrompt, model), isStreamed, ignored: [] };
  const generation = {
    model,
    requestId: options.inferenceId,
    prompts,
    sampling,
    beams,
    structure,
    stream: isStreamed,
    retries: isStreamed ? 0 : context.retries,
    continuesText: true,
    prefixes,
    promptField: 'prompt',
    signal,
    watch: context.watch,
    timeout: context.timeout,
    client: context.client,
    guides: context.guides,
  } as const;
  const ignored = unusedByBeams(request, beams);
  const plain = { ...generation, logprobs, choicesPerPrompt: perPrompt };
  const isRanked = candidates > perPrompt;
  const begin = (asked: GenerationOptions): Promise<GenerateEvents> =>
    isRanked
      ? bestOf({ ...asked, logprobs: ranking, choicesPerPrompt: candidates }, perPrompt, logprobs !== undefined)
      : generate(asked);
  if (!held) return { options, events: await begin(plain), isStreamed, ignored };
  const { events, structuredHeader } = await generateChecked(plain, held, { begin, isOnce: isRanked });
  return { options, events, isStreamed, ignored, structuredHeader };
}

function checkEcho(request: CompletionRequest): void {
  if (request.echo && typeof request.logprobs === 'number')
    throw new ApiError(
      'unsupported_parameter',
      'echo: the backend returns no logprobs of the prompt, so not with logprobs.',
      {
        param: 'echo',
      },
    );
  if (request.max_tokens === 0 && !request.echo)
    throw new ApiError('invalid_request', 'max_tokens: must be at least 1 unless echo is true.', {
      param: 'max_tokens',
    });
}

function candidatesOf(request: CompletionRequest, perPrompt: number): number {
  const candidates = request.best_of ?? perPrompt;
  if (candidates < perPrompt)
    throw new ApiError('invalid_request', 'best_of: must not be less than n.', { param: 'best_of' });
  if (candidates > perPrompt && request.stream)
    throw new ApiError('invalid_request', 'best_of: the best answers are known only in the end, so not with stream.', {
      param: 'best_of',
    });
  return candidates;
}

/** Ranking needs the logprobs, which the request itself did not ask for. */
function refuseRanking(model: ServedModel): void {
  const support = model.contract.support('logprobs');
  if (support.kind === 'refused')
    throw new ApiError('unsupported_parameter', `best_of: ${support.reason}`, { param: 'best_of' });
}

async function promptsOf(prompt: CompletionRequest['prompt'], model: ServedModel): Promise<Prompt[]> {
  const list = (Array.isArray(prompt) && typeof prompt[0] !== 'number' ? prompt : [prompt]) as (string | number[])[];
  const prompts = await Promise.all(
    list.map(async (item): Promise<Prompt> => (typeof item === 'string' ? { text: item } : idsPrompt(item, model))),
  );
  if (prompts.some(({ text, ids }) => text === '' && ids === undefined))
    throw new ApiError('invalid_request', 'prompt: must not be empty.', { param: 'prompt' });
  return prompts;
}

async function idsPrompt(ids: readonly number[], model: ServedModel): Promise<Prompt> {
  const { tokenizer } = await model.assets();
  if (!tokenizer)
    throw new ApiError(
      'invalid_request',
      `prompt: token ids need a tokenizer for this model; start Conch with --tokenizer ${model.name}=DIR, or send text.`,
      { param: 'prompt' },
    );
  if (!model.contract.speaksTokens) return { text: await textOfIds(tokenizer, ids, model.addsSpecialTokens) };
  await refuseUnknownIds(tokenizer, ids);
  return { text: await tokenizer.decode(ids, { skipSpecialTokens: false }), ids: Int32Array.from(ids) };
}

/** `echo` with `max_tokens: 0` asks for the prompts themselves: nothing is generated. */
async function* echoed(prompts: readonly Prompt[], perPrompt: number, model: ServedModel): GenerateEvents {
  const { tokenizer } = await model.assets();
  const events: GenerateEvent[] = [];
  prompts.forEach(({ text }, index) => {
    for (let answer = 0; answer < perPrompt; answer++) {
      const choice = index * perPrompt + answer;
      events.push({ type: 'text-delta', choice, text, tokens: 0, logprobs: undefined });
      events.push({ type: 'finish', choice, reason: 'length' });
    }
  });
  if (tokenizer) {
    const options = { addSpecialTokens: model.addsSpecialTokens };
    const counts = await Promise.all(
      prompts.map(async ({ text, ids }) => ids?.length ?? tokenizer.count(text, options)),
    );
    const promptTokens = counts.reduce((sum, count) => sum + count, 0);
    events.push({ type: 'usage', promptTokens, completionTokens: 0 });
  }
  yield events;
}

import { randomInt } from 'node:crypto';
import type { GenerateRequest, NeededCounts, Sampling } from '../contracts/contract.ts';
import type { Generation } from '../contracts/events.ts';
import { ApiError } from '../errors.ts';
import type { SharedServer } from '../kserve/server-group.ts';
import { during } from '../request-watch.ts';
import type { TokenTable } from '../tokenizer.ts';
import { errorContext } from './error-context.ts';
import { withLength } from './generated-response.ts';
import { roundGuide } from './guide-guard.ts';
import { type ChoiceContext, gather, infer, type RunningRound } from './inference.ts';
import { lengthLimit } from './limits.ts';
import { after, type MaybePromise } from './maybe-promise.ts';
import { merge } from './merge.ts';
import type { Round, Run } from './plan.ts';
import { asksForPromptCount } from './prompt-counts.ts';
import { seeded } from './seeds.ts';
import { cutsHere, textMaker, withStopText } from './stop-handling.ts';
import { RunningCounts, type Tally } from './tally.ts';
import { timeKeeper } from './time-left.ts';
import { type TokenizedPrompts, tokenize } from './token-inputs.ts';
import { tokenTable } from './token-tables.ts';

/** Sends one inference for every choice, or for all beams of a prompt, and emits their events as they arrive. */
export function generate(run: Run, round: Round): MaybePromise<Generation> {
  return after(measured(run, round), (measures) => {
    checkPromptLogprobs(run, round, measures);
    const limits = lengthLimits(run, round, measures);
    const tally = newTally(round, measures);
    const guide = roundGuide(run, round);
    const tries = new Set<Tally>();
    run.watch.counts(run.plan.strategy.retries > 0 ? new RunningCounts(tally, tries) : tally);
    guide?.check();
    const timeLeft = timeKeeper(round.timeout);
    return after(logprobTable(run, round), (table) => {
      const running: RunningRound = {
        run,
        round,
        errorContext: errorContext(run, round),
        tally,
        newText: textMaker(run.plan, round, measures.tokenized?.table),
        table,
        promptTable: run.plan.reports && measures.tokenized?.table,
        guide,
        shared: sharedServer(run, round),
      };
      const counts = neededCounts(run, round, tally);
      const requests = requestsOf(run, round, { measures, limits, counts });
      const choices = requests.map(
        ({ request, context }): Generation =>
          run.plan.strategy.retries === 0
            ? infer(request, running, context)
            : gather(request, running, { context, timeLeft, tries }),
      );
      const [only] = choices;
      return choices.length === 1 && only ? only : merge(choices);
    });
  });
}

/** What is known of the prompts before they are sent. */
interface Measures {
  /** Their tokens, if the contract takes tokens. */
  readonly tokenized: TokenizedPrompts | undefined;
  /** How many tokens each has; undefined if the backend counts, or the model has no tokenizer. */
  readonly counted: readonly number[] | undefined;
  /** The same for the context length, which Conch may enforce although the backend counts. */
  readonly lengths: readonly number[] | undefined;
}

const unmeasured: Measures = { tokenized: undefined, counted: undefined, lengths: undefined };

function measured(run: Run, { prompts, sampling }: Round): MaybePromise<Measures> {
  const { watch, signal, images } = run;
  const { model, tokenization } = run.plan;
  if (model.contract.speaksTokens)
    return during(watch, 'tokenize', async () => {
      const tokenized = await tokenize(model, prompts, { sampling, tokenization, signal });
      const lengths = tokenized.inputs.map(({ prompt }) => prompt.length);
      // Only the engine knows how many tokens an image has.
      const isCountedThere = images.length > 0 && model.contract.counts;
      return { tokenized, counted: isCountedThere ? undefined : lengths, lengths };
    });
  const { counts: backendCounts } = model.contract;
  if (backendCounts && !model.enforcesContext) return unmeasured;
  return after(model.loadedAssets() ?? model.assets(), ({ tokenizer }) => {
    if (!tokenizer) return unmeasured;
    const options = { addSpecialTokens: model.addsSpecialTokens, signal };
    return during(watch, 'tokenize', async () => {
      const lengths = await Promise.all(prompts.map(({ text }) => tokenizer.count(text, options)));
      return { tokenized: undefined, counted: backendCounts ? undefined : lengths, lengths };
    });
  });
}

/** The sampling of each prompt, with the token limit that the context length leaves. */
function lengthLimits({ plan }: Run, { prompts, sampling }: Round, { lengths }: Measures): Sampling[] {
  const { model, promptField } = plan;
  return prompts.map((_, at) => withLength(sampling, lengthLimit({ model, promptField, sampling }, lengths?.[at])));
}

/** How many logprobs of a prompt a response may have: each takes time in which Conch does nothing else. */
const mostPromptLogprobs = 2 ** 17;

function checkPromptLogprobs({ plan }: Run, { promptLogprobs }: Round, { lengths }: Measures): void {
  if (promptLogprobs === undefined) return;
  const longest = Math.max(0, ...(lengths ?? []));
  if (longest * (promptLogprobs + 1) <= mostPromptLogprobs) return;
  const param = plan.reports?.promptLogprobs === promptLogprobs ? 'prompt_logprobs' : 'logprobs';
  const most = Math.floor(mostPromptLogprobs / longest) - 1;
  const remedy = most < 0 ? 'Shorten the prompt.' : `Reduce it to at most ${most}, or shorten the prompt.`;
  throw new ApiError('invalid_request', `${param}: too large for a prompt of ${longest} tokens. ${remedy}`, { param });
}

function newTally({ prompts, choicesPerPrompt }: Round, { counted }: Measures): Tally {
  return {
    promptTokens: counted?.reduce((sum, count) => sum + count, 0),
    countingPrompt: undefined,
    onPromptTokens: undefined,
    cachedTokens: undefined,
    reasoningTokens: undefined,
    draftTokens: undefined,
    acceptedTokens: undefined,
    engineTimes: undefined,
    cacheHitRate: undefined,
    completionTokens: 0,
    unfinished: prompts.length * choicesPerPrompt,
    finishReasons: [],
  };
}

/** The token counts that the backend must return; undefined: both. */
function neededCounts(run: Run, round: Round, tally: Tally): NeededCounts | undefined {
  const { needsCounts, model } = run.plan;
  if (needsCounts || !model.contract.countsOnDemand) return undefined;
  return { prompt: asksForPromptCount(run, round, tally), completion: false };
}

/** One guide runs on only one engine, whatever the number of choices and tries. */
function sharedServer({ shared }: Run, { structure, prompts, choicesPerPrompt }: Round): SharedServer | undefined {
  if (!structure) return undefined;
  return shared ?? (prompts.length * choicesPerPrompt > 1 ? {} : undefined);
}

interface PlannedInference {
  readonly request: GenerateRequest;
  readonly context: ChoiceContext;
}

/** What the requests of a round are built from. */
interface RequestParts {
  readonly measures: Measures;
  readonly limits: readonly Sampling[];
  readonly counts: NeededCounts | undefined;
}

/** The requests for the backend: one for every choice, or for all beams of a prompt. */
function requestsOf(
  { plan, images }: Run,
  round: Round,
  { measures, limits, counts }: RequestParts,
): PlannedInference[] {
  const { tokenized, counted } = measures;
  const { model, beams } = plan;
  const { prompts, choicesPerPrompt } = round;
  const perPrompt = beams ? 1 : choicesPerPrompt;
  const draws = model.contract.repeatsItself && !beams;
  const requests: PlannedInference[] = [];
  for (const [at, prompt] of prompts.entries())
    for (let offset = 0; offset < perPrompt; offset++) {
      const choice = at * choicesPerPrompt + offset;
      const sampling = choiceSampling(limits[at] as Sampling, { offset, draws });
      requests.push({
        request: {
          id: prompts.length * perPrompt > 1 ? `${round.id}-${choice}` : round.id,
          model: model.model,
          version: model.version,
          prompt: prompt.text,
          images: images.length > 0 ? images : undefined,
          tokens: tokenized?.inputs[at],
          sampling: backendSampling(plan, sampling),
          stream: round.stream || readsAsItComes(plan, round),
          counts,
          beams: beams?.beams,
          logprobs: round.logprobs,
          // They are the same for every choice, and an echo needs them for each.
          promptLogprobs: offset === 0 || plan.reports?.echoedLogprobs !== undefined ? round.promptLogprobs : undefined,
          structure: (round.structure?.guide ?? round.structure)?.structure,
          structureOptions: round.structure && plan.structureOptions,
          loraName: model.loraName,
          adapterPath: model.adapterPath,
          loraTaskId: model.loraTaskId,
        },
        context: {
          choice,
          choices: choicesPerPrompt / perPrompt,
          prefix: round.prefixes[at] ?? '',
          countsPrompt: counted === undefined && offset === 0,
          promptLength: counted?.[at],
          reportsPrompt: offset === 0,
          reports: plan.reports,
          promptIds: plan.reports?.ids ? tokenized?.inputs[at]?.prompt : undefined,
        },
      });
    }
  return requests;
}

/** The sampling for the backend. */
function backendSampling(plan: Run['plan'], sampling: Sampling): Sampling {
  const { reports } = plan;
  if (!reports) return withStopText(plan, sampling);
  if (reports.isPromptOnly) return { ...sampling, maxTokens: 1 };
  // Clients that score texts expect a token after the prompt, also if it is EOS.
  const keepsEos =
    reports.echoedLogprobs !== undefined && !sampling.stopTokenIds?.length && sampling.skipSpecialTokens !== false;
  return keepsEos ? { ...sampling, includeStopText: true } : withStopText(plan, sampling);
}

/** Whether an unstreamed response is read as it arrives: to end it early, or to count its parts. */
function readsAsItComes(plan: Run['plan'], { sampling, parsers }: Round): boolean {
  return cutsHere(plan, sampling) || (parsers?.needsSteps ?? false);
}

/** The bytes of the model's tokens, if logprobs need them and its tokenizer is loaded. */
function logprobTable({ plan: { model } }: Run, { logprobs }: Round): MaybePromise<TokenTable | undefined> {
  if (logprobs === undefined || model.contract.speaksTokens) return undefined;
  const table = tokenTable(model.loadedAssets()?.tokenizer);
  // A decoder that a table cannot describe leaves the logprobs as the backend writes them.
  return table instanceof Promise ? table.catch(() => undefined) : table;
}

/** Each choice of a prompt has its own seed. A backend that repeats itself gets a random one. */
function choiceSampling(
  sampling: Sampling,
  { offset, draws }: { offset: number; draws: boolean | undefined },
): Sampling {
  const isDrawn = draws && sampling.seed === undefined && sampling.temperature !== 0;
  return isDrawn ? { ...sampling, seed: randomInt(largestSeed) } : seeded(sampling, offset);
}

const largestSeed = 2 ** 47;

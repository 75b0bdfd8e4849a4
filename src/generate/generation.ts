import { randomInt } from 'node:crypto';
import type { EncodedImage, GenerateRequest, Sampling } from '../contracts/contract.ts';
import type { GenerateEvents } from '../contracts/events.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { SharedServer } from '../kserve/server-group.ts';
import type { ServedModel } from '../models/served-model.ts';
import { AnswerText } from '../output/answer-text.ts';
import { during, type RequestWatch } from '../request-watch.ts';
import type { WantedBeams } from '../requests/sampling.ts';
import type { TokenTable } from '../tokenizer.ts';
import { withLength } from './answer.ts';
import { type AnswerParsers, AnswerParts } from './answer-parts.ts';
import { ChoiceStream } from './choice-stream.ts';
import { faultPlace } from './fault-place.ts';
import { GatheredChoice } from './gathered-choice.ts';
import { type GuardedGuide, type GuideGuard, guardedGuide } from './guide-guard.ts';
import type { GuidedStructure } from './guided-structure.ts';
import { Attempt, stopper } from './inference-attempt.ts';
import { checkIds, lengthLimit } from './limits.ts';
import { merge } from './merge.ts';
import { seeded } from './seeds.ts';
import { countsWith, type Tally } from './tally.ts';
import { timeKeeper } from './time-left.ts';
import { type Prompt, tokenize } from './token-inputs.ts';

/** A request after its prompts are texts and its values are checked: what every API's request becomes. */
export interface GenerationOptions {
  readonly model: ServedModel;
  readonly requestId: string;
  readonly prompts: readonly Prompt[];
  /** What every prompt speaks of; left out or empty: none. */
  readonly images?: readonly EncodedImage[];
  /** How many answers each prompt gets; choice number `prompt * choicesPerPrompt + answer`. */
  readonly choicesPerPrompt: number;
  readonly sampling: Sampling;
  readonly beams: WantedBeams | undefined;
  readonly logprobs: number | undefined;
  readonly structure: GuidedStructure | undefined;
  /** Left out where all of an answer is text. */
  readonly parsers?: AnswerParsers | undefined;
  readonly stream: boolean;
  /** How often an answer that its server breaks off is begun again: 0 where its client is given it as it comes. */
  readonly retries: number;
  /** Whether an answer goes on with the text of its prompt, as that of a chat does not. */
  readonly continuesText: boolean;
  /** Text that stands before each answer of the prompt of the same number. */
  readonly prefixes: readonly string[];
  /** The request field that the prompts came from. */
  readonly promptField: 'messages' | 'prompt';
  readonly signal: AbortSignal;
  readonly watch: RequestWatch;
  /** Milliseconds; undefined: no limit. */
  readonly timeout: number | undefined;
  /** Whether the answer is to say which stop text ended it. */
  readonly tellsStop?: boolean;
  /** Who sends it: the id of its API key, or its address. */
  readonly client?: string | undefined;
  /** Left out where no guide is kept back. */
  readonly guides?: GuideGuard | undefined;
  /** Shared by all generations of a guided request; left out where this is the only one. */
  readonly shared?: SharedServer | undefined;
}

/** Sends one inference for every choice, or for all beams of a prompt, and gives their events as they come. */
export async function generate(options: GenerationOptions): Promise<GenerateEvents> {
  const { model, prompts, choicesPerPrompt, sampling, beams } = options;
  const { contract } = model;
  const tokenized = contract.speaksTokens
    ? await during(options.watch, 'tokenize', () => tokenize(model, prompts, options))
    : undefined;
  checkIds(model, sampling);
  const counted = tokenized ? tokenized.inputs.map(({ prompt }) => prompt.length) : await countPrompts(options);
  const limits = prompts.map((_, at) => withLength(sampling, lengthLimit(options, counted?.[at])));
  const tally: Tally = {
    promptTokens: counted?.reduce((sum, count) => sum + count, 0),
    cachedTokens: undefined,
    reasoningTokens: undefined,
    completionTokens: 0,
    unfinished: prompts.length * choicesPerPrompt,
    finishReasons: [],
  };
  const running = new Set<Tally>();
  options.watch.counts(options.retries > 0 ? countsWith(tally, running) : tally);
  const guide = guardedGuide(options);
  guide?.check();
  const timeLeft = timeKeeper(options.timeout);
  const run: Run = {
    options,
    place: faultPlace(options),
    tally,
    newText: textMaker(options, tokenized?.table),
    table: await logprobTable(options),
    timeout: options.timeout,
    usedServers: undefined,
    guide,
    shared: sharedServer(options),
  };
  const inferences = beams ? 1 : choicesPerPrompt;
  const choices: GenerateEvents[] = [];
  for (const [promptIndex, prompt] of prompts.entries())
    for (let answer = 0; answer < inferences; answer++) {
      const choice = promptIndex * choicesPerPrompt + answer;
      const request: GenerateRequest = {
        id: prompts.length * inferences > 1 ? `${options.requestId}-${choice}` : options.requestId,
        model: model.model,
        version: model.version,
        prompt: prompt.text,
        images: options.images?.length ? options.images : undefined,
        tokens: tokenized?.inputs[promptIndex],
        sampling: withStopText(
          options,
          choiceSampling(limits[promptIndex] as Sampling, { answer, draws: contract.repeatsItself && !beams }),
        ),
        stream: options.stream || readsAsItComes(options),
        beams: beams?.beams,
        logprobs: options.logprobs,
        structure: (options.structure?.guide ?? options.structure)?.structure,
        loraName: model.loraName,
        loraTaskId: model.loraTaskId,
      };
      const place: ChoicePlace = {
        choice,
        answers: choicesPerPrompt / inferences,
        prefix: options.prefixes[promptIndex] ?? '',
        countsPrompt: counted === undefined && answer === 0,
        promptLength: counted?.[promptIndex],
        reportsPrompt: answer === 0,
      };
      choices.push(
        options.retries === 0 ? infer(request, run, place) : gather(request, run, { place, timeLeft, running }),
      );
    }
  const [only] = choices;
  return choices.length === 1 && only ? only : merge(choices);
}

interface Gathering {
  readonly place: ChoicePlace;
  readonly timeLeft: () => number | undefined;
  /** The tries that run at the moment. */
  readonly running: Set<Tally>;
}

/** A choice that is begun again where its server breaks it off. */
function gather(request: GenerateRequest, run: Run, { place, timeLeft, running }: Gathering): GatheredChoice {
  const { retries, signal, model } = run.options;
  const usedServers = new Set<InferenceServer>();
  const begin = (attempt: number, tally: Tally): ChoiceStream =>
    infer(
      attempt === 0 ? request : { ...request, id: `${request.id}-again-${attempt}` },
      { ...run, tally, timeout: attempt === 0 ? run.timeout : timeLeft(), usedServers },
      place,
    );
  const again = (left: AbortSignal): Promise<boolean> => model.group.again(left);
  return new GatheredChoice({ begin, answers: place.answers, retries, again, signal, tally: run.tally, running });
}

/** What all inferences of a request share. */
interface Run {
  readonly options: GenerationOptions;
  readonly place: ReturnType<typeof faultPlace>;
  readonly tally: Tally;
  readonly newText: (() => AnswerText) | undefined;
  /** The bytes of tokens, where logprobs are wanted of a backend that gives texts. */
  readonly table: TokenTable | undefined;
  /** Milliseconds; undefined: no limit. */
  readonly timeout: number | undefined;
  /** Where an answer that is begun again was begun before; undefined where none is. */
  readonly usedServers: Set<InferenceServer> | undefined;
  readonly guide: GuardedGuide | undefined;
  /** Where the guided inferences of a request run; undefined: there is only one, or no guide. */
  readonly shared: SharedServer | undefined;
}

/** One guide runs on one engine only, however many choices and tries a request has. */
function sharedServer({ structure, shared, prompts, choicesPerPrompt }: GenerationOptions): SharedServer | undefined {
  if (!structure) return undefined;
  return shared ?? (prompts.length * choicesPerPrompt > 1 ? {} : undefined);
}

/** What is each inference's own. */
type ChoicePlace = Pick<
  ConstructorParameters<typeof ChoiceStream>[0],
  'choice' | 'answers' | 'prefix' | 'countsPrompt' | 'promptLength' | 'reportsPrompt'
>;

function infer(request: GenerateRequest, run: Run, place: ChoicePlace): ChoiceStream {
  const { timeout, newText, tally, usedServers, shared } = run;
  const { model, signal, parsers, watch, guides } = run.options;
  const { contract } = model;
  const attempt = new Attempt(request, { model, signal, watch, usedServers, guide: run.guide, guides });
  // Every field by its name: this is done for every request, and objects that are put together from others cost more.
  return new ChoiceStream({
    choice: place.choice,
    answers: place.answers,
    prefix: place.prefix,
    countsPrompt: place.countsPrompt,
    promptLength: place.promptLength,
    reportsPrompt: place.reportsPrompt,
    responses: model.group.stream(attempt.begin, {
      signal,
      timeout,
      prefix: request.tokens?.prompt ?? request.prompt,
      avoid: usedServers,
      answersOnce: !request.stream,
      shared,
      isGuided: request.structure !== undefined,
      requestId: request.id,
      statusOf: (error) => contract.explain(error)?.status,
    }),
    watch: attempt,
    decoder: contract.decoder(request),
    maxTokens: request.sampling.maxTokens,
    context: model.contextLength(),
    tally,
    newText,
    newParts: parsers && (() => new AnswerParts(parsers)),
    countTokens: contract.guessesCounts ? answerCounter(model) : undefined,
    table: run.table,
    stop: stopper(attempt, contract, request),
    place: run.place,
  });
}

/** Whether stop texts are looked for on this side. */
function cutsHere({ model, sampling: { stop = [] } }: GenerationOptions): boolean {
  return !model.contract.cutsStopTexts && stop.length > 0;
}

/** Whether the backend is asked to leave the stop text in, so that it is seen, and cut, here. */
function asksForStop({ tellsStop, model, sampling: { stop = [], minTokens = 0 } }: GenerationOptions): boolean {
  // Until it has so many tokens, a backend takes no notice of stop texts; here they would end the answer.
  return (tellsStop ?? false) && model.contract.cutsStopTexts && stop.length > 0 && minTokens === 0;
}

function withStopText(options: GenerationOptions, sampling: Sampling): Sampling {
  return asksForStop(options) ? { ...sampling, includeStopText: true } : sampling;
}

/** Whether an answer is read as it comes although it is wanted whole: to end it early, or to count its parts. */
function readsAsItComes(options: GenerationOptions): boolean {
  return cutsHere(options) || (options.parsers?.needsSteps ?? false);
}

/** Makes the texts of answers where the backend gives tokens, or does not end at stop texts itself. */
function textMaker(options: GenerationOptions, table: TokenTable | undefined): (() => AnswerText) | undefined {
  const { stop: stops = [], includeStopText: keepsStop = false, skipSpecialTokens = true } = options.sampling;
  if (!table && !cutsHere(options) && !asksForStop(options)) return undefined;
  const { continuesText } = options;
  return () => new AnswerText({ stops, keepsStop, table, skipSpecialTokens, continuesText });
}

/** The bytes of the model's tokens, where logprobs need them and its tokenizer is at hand. */
async function logprobTable({ model, logprobs }: GenerationOptions): Promise<TokenTable | undefined> {
  if (logprobs === undefined || model.contract.speaksTokens) return undefined;
  // A decoder that a table cannot describe leaves the logprobs as the backend writes them.
  return model
    .loadedAssets()
    ?.tokenizer?.table?.()
    .catch(() => undefined);
}

/** Each answer of a prompt has a seed of its own; one is drawn for a backend that would answer every request alike. */
function choiceSampling(
  sampling: Sampling,
  { answer, draws }: { answer: number; draws: boolean | undefined },
): Sampling {
  const isDrawn = draws && sampling.seed === undefined && sampling.temperature !== 0;
  return isDrawn ? { ...sampling, seed: randomInt(largestSeed) } : seeded(sampling, answer);
}

const largestSeed = 2 ** 47;

/** The prompts' token counts by our own tokenizer; undefined where the backend counts, or the model has none. */
async function countPrompts({ model, prompts, watch, signal }: GenerationOptions): Promise<number[] | undefined> {
  if (model.contract.counts) return undefined;
  const { tokenizer } = await model.assets();
  if (!tokenizer) return undefined;
  const options = { addSpecialTokens: model.addsSpecialTokens, signal };
  return during(watch, 'tokenize', () => Promise.all(prompts.map(({ text }) => tokenizer.count(text, options))));
}

function answerCounter(model: ServedModel): ((text: string) => Promise<number>) | undefined {
  const tokenizer = model.loadedAssets()?.tokenizer;
  return tokenizer && ((text) => tokenizer.count(text, { addSpecialTokens: false }));
}

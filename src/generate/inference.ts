import type { GenerateRequest } from '../contracts/contract.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { SharedServer } from '../kserve/server-group.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { CompletionText } from '../output/completion-text.ts';
import type { TokenTable } from '../tokenizer.ts';
import { ChoiceReader, type ReaderOptions } from './choice-reader.ts';
import { ChoiceRun } from './choice-run.ts';
import { GatheredChoice } from './gathered-choice.ts';
import type { ErrorContext } from './generation-errors.ts';
import type { GuardedGuide } from './guide-guard.ts';
import type { Round, Run } from './plan.ts';
import { ResponseParts } from './response-parts.ts';
import { ServerInference, stopper } from './server-inference.ts';
import type { Tally } from './tally.ts';

/** What all inferences of a round share. */
export interface RunningRound {
  readonly run: Run;
  readonly round: Round;
  readonly errorContext: ErrorContext;
  readonly tally: Tally;
  readonly newText: (() => CompletionText) | undefined;
  /** The bytes of tokens, for logprobs of a backend that returns texts. */
  readonly table: TokenTable | undefined;
  /** The same for logprobs of the prompt. */
  readonly promptTable: TokenTable | undefined;
  readonly guide: GuardedGuide | undefined;
  /** Where the guided inferences of a request run; undefined: there is only one, or no guide. */
  readonly shared: SharedServer | undefined;
}

/** What differs between the inferences of a round. */
export type ChoiceContext = Pick<
  ReaderOptions,
  'choice' | 'choices' | 'prefix' | 'countsPrompt' | 'promptLength' | 'reportsPrompt' | 'reports' | 'promptIds'
>;

/** What differs between the tries of an inference. */
interface InferenceTry {
  readonly context: ChoiceContext;
  readonly tally: Tally;
  /** Milliseconds; undefined: no limit. */
  readonly timeout: number | undefined;
  /** The servers of earlier tries; undefined if there is only one try. */
  readonly usedServers: Set<InferenceServer> | undefined;
}

/** One inference, whose events are emitted as they arrive. */
export function infer(request: GenerateRequest, running: RunningRound, context: ChoiceContext): ChoiceRun {
  const { tally, round } = running;
  return inferOn(request, running, { context, tally, timeout: round.timeout, usedServers: undefined });
}

interface GatherOptions {
  readonly context: ChoiceContext;
  readonly timeLeft: () => number | undefined;
  /** The tallies of the running tries. */
  readonly tries: Set<Tally>;
}

/** One inference whose events are emitted once it is complete. Conch retries it if its server breaks it off. */
export function gather(
  request: GenerateRequest,
  running: RunningRound,
  { context, timeLeft, tries }: GatherOptions,
): GatheredChoice {
  const { run, round, tally: whole } = running;
  const { model, strategy } = run.plan;
  const usedServers = new Set<InferenceServer>();
  const begin = (number: number, tally: Tally): ChoiceRun =>
    inferOn(number === 0 ? request : { ...request, id: `${request.id}-again-${number}` }, running, {
      context,
      tally,
      timeout: number === 0 ? round.timeout : timeLeft(),
      usedServers,
    });
  return new GatheredChoice({
    begin,
    choices: context.choices,
    retries: strategy.retries,
    again: (signal) => model.group.again(signal),
    signal: run.signal,
    tally: whole,
    running: tries,
  });
}

function inferOn(
  request: GenerateRequest,
  running: RunningRound,
  { context, tally, timeout, usedServers }: InferenceTry,
): ChoiceRun {
  const { run, round, newText, table, promptTable, guide, shared } = running;
  const { signal, watch, guides } = run;
  const { model } = run.plan;
  const { contract } = model;
  const { parsers } = round;
  const inference = new ServerInference(request, { model, signal, watch, usedServers, guide, guides });
  // Every field by name: this runs for every request, and spreading objects costs more.
  const reader = new ChoiceReader({
    choice: context.choice,
    choices: context.choices,
    prefix: context.prefix,
    countsPrompt: context.countsPrompt,
    promptLength: context.promptLength,
    reportsPrompt: context.reportsPrompt,
    reports: context.reports,
    promptIds: context.promptIds,
    promptTable,
    splitsTokens: run.plan.options.sendsEveryToken,
    maxTokens: request.sampling.maxTokens,
    context: model.contextLength(),
    tally,
    newText,
    newParts: parsers && (() => new ResponseParts(parsers)),
    countTokens: contract.guessesCounts ? tokenCounter(model) : undefined,
    table,
  });
  return new ChoiceRun({
    reader,
    begin: (sink) =>
      model.group.stream(inference.begin, sink, {
        signal,
        timeout,
        prefix: request.tokens?.prompt ?? request.prompt,
        avoid: usedServers,
        hasSingleResponse: !request.stream,
        shared,
        isGuided: request.structure !== undefined,
        requestId: request.id,
        statusOf: (error) => contract.explain(error)?.status,
      }),
    watch: inference,
    decoder: contract.decoder(request),
    stop: stopper(inference, contract, request),
    errorContext: running.errorContext,
  });
}

function tokenCounter(model: ServedModel): ((text: string) => Promise<number>) | undefined {
  const tokenizer = model.loadedAssets()?.tokenizer;
  return tokenizer && ((text) => tokenizer.count(text, { addSpecialTokens: false }));
}

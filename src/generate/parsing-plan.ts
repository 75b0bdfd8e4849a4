import type { Sampling } from '../contracts/contract.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { ReasoningOptions } from '../output/reasoning/reasoning-parser.ts';
import { specialAmong, specialTreeOf } from '../output/special-texts.ts';
import { AssetError } from '../prompt/asset-error.ts';
import type { ChatTemplate } from '../prompt/chat-template.ts';
import type { ToolUse } from '../requests/tools.ts';
import type { TokenTable } from '../tokenizer.ts';
import { after, type MaybePromise } from './maybe-promise.ts';
import { type Formats, formatsOf, keepsMarkers, otherMarkers, parsersFor, requiredMarkers } from './parsers.ts';
import type { ReasoningPhase } from './reasoned-choice.ts';
import type { ResponseParsers } from './response-parts.ts';
import { tokenTable } from './token-tables.ts';

interface ParsingOptions {
  readonly model: ServedModel;
  readonly template: ChatTemplate;
  readonly use: ToolUse | undefined;
  /** Whether the response is guided to a structure, which then starts after its reasoning. */
  readonly isGuided: boolean;
  /** Where the response starts. */
  readonly opening: ReasoningOptions;
  readonly sampling: Sampling;
}

/** How the response of a chat is parsed, and the sampling that makes this possible. */
export interface ParsingPlan {
  readonly sampling: Sampling;
  readonly parsers: ResponseParsers | undefined;
  /** How a guided response reasons first. */
  readonly phase?: ReasoningPhase | undefined;
}

/** Decides how a response is parsed, once its prompt says where it starts. */
export function planParsing(options: ParsingOptions): MaybePromise<ParsingPlan> {
  const { model, template, opening, isGuided } = options;
  const formats = formatsInText(model, formatsOf(model, template));
  if (!isGuided) return parsingPlan(options, formats);
  const plain = { ...formats, reasoning: undefined };
  const turn = formats.reasoning?.turn(opening);
  if (!turn) return parsingPlan(options, plain);
  return after(parsingPlan(options, plain), (plan) =>
    after(parsingPlan({ ...options, use: undefined }, { ...formats, tools: undefined }), ({ sampling, parsers }) => {
      const keepsSpecialTokens = sampling.skipSpecialTokens === false;
      return parsers ? { ...plan, phase: { turn, parsers, keepsSpecialTokens } } : plan;
    }),
  );
}

/** Reasoning cannot be separated from the response if the server removes its markers from the text. */
function formatsInText(model: ServedModel, found: Formats): Formats {
  return keepsMarkers(model, found.reasoning) ? found : { ...found, reasoning: undefined };
}

function canKeepMarkers({ contract }: ServedModel): boolean {
  return contract.support('skip_special_tokens').kind !== 'refused';
}

function parsingPlan(options: ParsingOptions, formats: Formats): MaybePromise<ParsingPlan> {
  const { model, use } = options;
  const required = requiredMarkers(formats, use);
  const others = canKeepMarkers(model) ? otherMarkers(formats, use) : [];
  if (required.length + others.length === 0) return parsingPlanWith(options, { formats, required: new Set() });
  return after(specialTable(model, { isNeeded: required.length > 0 }), (table) =>
    parsingPlanWith(options, {
      formats,
      required: new Set([...required, ...(table ? specialAmong(table, others) : [])]),
      table,
    }),
  );
}

interface Markers {
  readonly formats: Formats;
  /** Those that the backend must keep in the text. */
  readonly required: Set<string>;
  readonly table?: TokenTable | undefined;
}

function parsingPlanWith(
  { model, use, opening, sampling }: ParsingOptions,
  { formats, required, table }: Markers,
): ParsingPlan {
  if (required.size === 0)
    return { sampling, parsers: parsersFor({ model, formats, use, specials: undefined, opening }) };
  const asksForAll = sampling.skipSpecialTokens === false;
  const specials = table && !asksForAll ? specialTreeOf(table, required) : undefined;
  return {
    sampling: { ...sampling, skipSpecialTokens: false },
    parsers: parsersFor({ model, formats, use, specials, opening }),
  };
}

/** Undefined if the table is not needed and cannot be made: then the special tokens are unknown. */
function specialTable(model: ServedModel, { isNeeded }: { isNeeded: boolean }): MaybePromise<TokenTable | undefined> {
  const table = after(model.loadedAssets() ?? model.assets(), ({ tokenizer }) => tokenTable(tokenizer));
  if (!(table instanceof Promise)) return table;
  return table.catch((error: unknown) => {
    if (isNeeded || !(error instanceof AssetError)) throw error;
    return undefined;
  });
}

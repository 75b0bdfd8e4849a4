import type { Sampling } from '../contracts/contract.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { ReasoningOptions } from '../output/reasoning/reasoning-parser.ts';
import { specialAmong, specialTreeOf } from '../output/special-texts.ts';
import { AssetError } from '../prompt/asset-error.ts';
import type { ChatTemplate } from '../prompt/chat-template.ts';
import type { ToolUse } from '../requests/tools.ts';
import type { TokenTable } from '../tokenizer.ts';
import type { AnswerParsers } from './answer-parts.ts';
import { after, type MaybePromise } from './maybe-promise.ts';
import { type Formats, formatsOf, keepsMarkers, keptMarkers, otherMarkers, parsersFor } from './parsers.ts';
import type { ReasoningPhase } from './reasoned-choice.ts';
import { tokenTable } from './token-tables.ts';

interface ReadingOptions {
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
export interface Reading {
  readonly sampling: Sampling;
  readonly parsers: AnswerParsers | undefined;
  /** How a guided response reasons first. */
  readonly phase?: ReasoningPhase | undefined;
}

/** Decides how a response is parsed, once its prompt says where it starts. */
export function answerReading(options: ReadingOptions): MaybePromise<Reading> {
  const { model, template, opening, isGuided } = options;
  const formats = formatsInText(model, formatsOf(model, template));
  if (!isGuided) return reading(options, formats);
  const plain = { ...formats, reasoning: undefined };
  const turn = formats.reasoning?.turn(opening);
  if (!turn) return reading(options, plain);
  return after(reading(options, plain), (answer) =>
    after(reading({ ...options, use: undefined }, { ...formats, tools: undefined }), ({ sampling, parsers }) => {
      const keepsSpecialTokens = sampling.skipSpecialTokens === false;
      return parsers ? { ...answer, phase: { turn, parsers, keepsSpecialTokens } } : answer;
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

function reading(options: ReadingOptions, formats: Formats): MaybePromise<Reading> {
  const { model, use } = options;
  const kept = keptMarkers(formats, use);
  const others = canKeepMarkers(model) ? otherMarkers(formats, use) : [];
  if (kept.length + others.length === 0) return readingWith(options, { formats, kept: new Set() });
  return after(specialTable(model, { isNeeded: kept.length > 0 }), (table) =>
    readingWith(options, { formats, kept: new Set([...kept, ...(table ? specialAmong(table, others) : [])]), table }),
  );
}

interface Markers {
  readonly formats: Formats;
  /** Those that the backend must keep in the text. */
  readonly kept: Set<string>;
  readonly table?: TokenTable | undefined;
}

function readingWith({ model, use, opening, sampling }: ReadingOptions, { formats, kept, table }: Markers): Reading {
  if (kept.size === 0) return { sampling, parsers: parsersFor({ model, formats, use, specials: undefined, opening }) };
  const asksForAll = sampling.skipSpecialTokens === false;
  const specials = table && !asksForAll ? specialTreeOf(table, kept) : undefined;
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

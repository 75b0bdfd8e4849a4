import type { Sampling } from '../contracts/contract.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { ReasoningOptions } from '../output/reasoning/reasoning-parser.ts';
import { specialAmong, specialTreeOf } from '../output/special-texts.ts';
import { AssetError } from '../prompt/asset-error.ts';
import type { ChatTemplate } from '../prompt/chat-template.ts';
import type { ToolUse } from '../requests/tools.ts';
import type { TokenTable } from '../tokenizer.ts';
import type { AnswerParsers } from './answer-parts.ts';
import { type Formats, formatsOf, keepsMarkers, keptMarkers, otherMarkers, parsersFor } from './parsers.ts';
import type { ReasoningPhase } from './reasoned-form.ts';

interface ReadingOptions {
  readonly model: ServedModel;
  readonly template: ChatTemplate;
  readonly use: ToolUse | undefined;
  /** Whether the answer is guided to a form, which then begins behind its reasoning. */
  readonly isGuided: boolean;
  /** Where the answer begins. */
  readonly opening: ReasoningOptions;
  readonly sampling: Sampling;
}

/** How the answer of a chat is read, and what the backend must be asked for so that it can be. */
interface Reading {
  readonly sampling: Sampling;
  readonly parsers: AnswerParsers | undefined;
  /** How a guided answer reasons first. */
  readonly phase?: ReasoningPhase | undefined;
}

export async function answerReading({ isGuided, ...options }: ReadingOptions): Promise<Reading> {
  const { model, template, opening } = options;
  const formats = formatsInText(model, formatsOf(model, template));
  if (!isGuided || !formats.reasoning)
    return reading(options, isGuided ? { ...formats, reasoning: undefined } : formats);
  const turn = formats.reasoning.turn(opening);
  const answer = await reading(options, { ...formats, reasoning: undefined });
  if (!turn) return answer;
  const { sampling, parsers } = await reading({ ...options, use: undefined }, { ...formats, tools: undefined });
  const keepsSpecialTokens = sampling.skipSpecialTokens === false;
  return parsers ? { ...answer, phase: { turn, parsers, keepsSpecialTokens } } : answer;
}

/** Reasoning whose markers the server takes out of the text cannot be told from the answer. */
function formatsInText(model: ServedModel, found: Formats): Formats {
  return keepsMarkers(model, found.reasoning) ? found : { ...found, reasoning: undefined };
}

function canKeepMarkers({ contract }: ServedModel): boolean {
  return contract.support('skip_special_tokens').kind !== 'refused';
}

async function reading(
  { model, use, opening, sampling }: Omit<ReadingOptions, 'isGuided'>,
  formats: Formats,
): Promise<Reading> {
  const kept = new Set(keptMarkers(formats, use));
  const others = canKeepMarkers(model) ? otherMarkers(formats, use) : [];
  const table = kept.size + others.length > 0 ? await tokenTable(model, { isNeeded: kept.size > 0 }) : undefined;
  if (table) for (const marker of specialAmong(table, others)) kept.add(marker);
  if (kept.size === 0) return { sampling, parsers: parsersFor({ model, formats, use, specials: undefined, opening }) };
  const asksForAll = sampling.skipSpecialTokens === false;
  const specials = table && !asksForAll ? specialTreeOf(table, kept) : undefined;
  return {
    sampling: { ...sampling, skipSpecialTokens: false },
    parsers: parsersFor({ model, formats, use, specials, opening }),
  };
}
/** Of a vocabulary whose table is not needed and cannot be made, nobody can say which texts are special tokens. */
async function tokenTable(model: ServedModel, { isNeeded }: { isNeeded: boolean }): Promise<TokenTable | undefined> {
  const { tokenizer } = await model.assets();
  try {
    return await tokenizer?.table?.();
  } catch (error) {
    if (isNeeded || !(error instanceof AssetError)) throw error;
    return undefined;
  }
}

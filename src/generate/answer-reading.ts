import type { Sampling } from '../contracts/contract.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { ToolUse } from '../openai/tools.ts';
import type { ReasoningOptions } from '../output/reasoning/reasoning-parser.ts';
import { type SpecialTree, specialTreeOf } from '../output/special-texts.ts';
import type { ChatTemplate } from '../prompt/chat-template.ts';
import type { AnswerParsers } from './answer-parts.ts';
import { type Formats, formatsOf, keptMarkers, parsersFor } from './parsers.ts';
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
  const canKeep = model.contract.support('skip_special_tokens').kind !== 'refused';
  const hasMarkers = canKeep || (found.reasoning?.specialMarkers.length ?? 0) === 0;
  return hasMarkers ? found : { ...found, reasoning: undefined };
}

async function reading(
  { model, use, opening, sampling }: Omit<ReadingOptions, 'isGuided'>,
  formats: Formats,
): Promise<Reading> {
  const kept = new Set(keptMarkers(formats, use));
  if (kept.size === 0) return { sampling, parsers: parsersFor({ model, formats, use, specials: undefined, opening }) };
  const asksForAll = sampling.skipSpecialTokens === false;
  const specials = asksForAll ? undefined : await specialsOf(model, kept);
  return {
    sampling: { ...sampling, skipSpecialTokens: false },
    parsers: parsersFor({ model, formats, use, specials, opening }),
  };
}

async function specialsOf(model: ServedModel, kept: ReadonlySet<string>): Promise<SpecialTree | undefined> {
  const table = await (await model.assets()).tokenizer?.table?.();
  return table && specialTreeOf(table, kept);
}

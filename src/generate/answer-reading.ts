import type { Sampling } from '../contracts/contract.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { ToolUse } from '../openai/tools.ts';
import { specialTreeOf } from '../output/special-texts.ts';
import type { ChatTemplate } from '../prompt/chat-template.ts';
import type { AnswerParsers } from './answer-parts.ts';
import { formatsOf, keptMarkers, parsersFor } from './parsers.ts';

interface ReadingOptions {
  readonly model: ServedModel;
  readonly template: ChatTemplate;
  readonly use: ToolUse | undefined;
  /** Whether the answer must have a form from its first token on. */
  readonly isGuided: boolean;
  readonly prompt: string;
  readonly sampling: Sampling;
}

/** How the answer of a chat is read, and what the backend must be asked for so that it can be. */
export async function answerReading({ model, template, use, isGuided, prompt, sampling }: ReadingOptions): Promise<{
  readonly sampling: Sampling;
  readonly parsers: AnswerParsers | undefined;
}> {
  const found = formatsOf(model, template);
  const canKeep = model.contract.support('skip_special_tokens').kind !== 'refused';
  // Reasoning whose markers the server takes out of the text cannot be told from the answer.
  const hasMarkers = canKeep || (found.reasoning?.specialMarkers.length ?? 0) === 0;
  const formats = hasMarkers ? found : { ...found, reasoning: undefined };
  const kept = new Set(keptMarkers(formats, use));
  const asksForAll = sampling.skipSpecialTokens === false;
  if (kept.size === 0)
    return { sampling, parsers: parsersFor({ model, formats, use, isGuided, specials: undefined, prompt }) };
  const table = await (await model.assets()).tokenizer?.table?.();
  const specials = table && !asksForAll ? specialTreeOf(table, kept) : undefined;
  return {
    sampling: { ...sampling, skipSpecialTokens: false },
    parsers: parsersFor({ model, formats, use, isGuided, specials, prompt }),
  };
}

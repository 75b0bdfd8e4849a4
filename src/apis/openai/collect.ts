import type { TokenLogprob } from '../../contracts/contract.ts';
import type { GenerateEvent } from '../../contracts/events.ts';
import type { AnswerOptions } from '../../generate/answer-options.ts';
import { tokenTextOf } from '../../http/logprobs.ts';
import { addCall, type MadeCall, wireCall } from '../../requests/made-calls.ts';
import { headFields, type Usage, usageOf } from './answer.ts';
import type { AnswerShape } from './shapes.ts';

/** A choice of an answer that is still being put together. */
interface Choice {
  text: string;
  reasoning: string | undefined;
  readonly calls: MadeCall[];
  readonly logprobs: TokenLogprob[];
  reason: string | null;
}

/** Folds the events of an answer into the one that an unstreamed request gets. */
export async function collect(
  events: AsyncIterable<GenerateEvent[]>,
  shape: AnswerShape,
  options: AnswerOptions,
): Promise<Record<string, unknown>> {
  const { head, wantsLogprobs } = options;
  const choices = Array.from({ length: options.choices }, newChoice);
  let usage: Usage | null = null;
  for await (const batch of events)
    for (const event of batch) {
      if (event.type === 'usage') usage = usageOf(event);
      else if (event.type !== 'prompt-tokens') add(choices[event.choice] as Choice, event);
    }
  return {
    ...headFields(head, shape.answerObject),
    choices: choices.map(({ text, reasoning, calls, logprobs, reason }, index) => ({
      index,
      ...shape.whole({ text, reasoning, calls: calls.map(wireCall) }),
      logprobs: wantsLogprobs ? shape.logprobs(tokenTextOf(options))(logprobs) : null,
      finish_reason: reason,
    })),
    usage,
  };
}

function add(choice: Choice, event: Extract<GenerateEvent, { choice: number }>): void {
  switch (event.type) {
    case 'text-delta':
      choice.text += event.text;
      if (event.logprobs) choice.logprobs.push(...event.logprobs);
      break;
    case 'reasoning-delta':
      choice.reasoning = (choice.reasoning ?? '') + event.text;
      break;
    case 'tool-call-delta':
      addCall(choice.calls, event);
      break;
    case 'finish':
      choice.reason = event.reason;
      break;
  }
}

function newChoice(): Choice {
  return { text: '', reasoning: undefined, calls: [], logprobs: [], reason: null };
}

import type { TokenLogprob } from '../../contracts/contract.ts';
import type { EventFold, Generation, OtherEvent, TokenUsage } from '../../contracts/events.ts';
import type { CompletionOptions } from '../../generate/completion-options.ts';
import { runInto } from '../../generate/run-into.ts';
import { tokenTextOf } from '../../http/logprobs.ts';
import { addCall, type MadeCall, wireCall } from '../../requests/made-calls.ts';
import { headFields, usageOf } from './response-fields.ts';
import type { ApiShape } from './shapes.ts';

/** A choice of a response that is still incomplete. */
interface Choice {
  text: string;
  reasoning: string | undefined;
  readonly calls: MadeCall[];
  readonly logprobs: TokenLogprob[];
  reason: string | null;
}

/** Folds the events of a generation into the response that a request without streaming gets. */
export async function collect(
  generation: Generation,
  shape: ApiShape,
  options: CompletionOptions,
): Promise<Record<string, unknown>> {
  const { head, wantsLogprobs } = options;
  const fold = new ChoicesFold(options.choices);
  await runInto(generation, fold);
  const { choices, usage } = fold;
  return {
    ...headFields(head, shape.responseObject),
    choices: choices.map(({ text, reasoning, calls, logprobs, reason }, index) => ({
      index,
      ...shape.whole({ text, reasoning, calls: calls.map(wireCall) }),
      logprobs: wantsLogprobs ? shape.logprobs(tokenTextOf(options))(logprobs) : null,
      finish_reason: reason,
    })),
    usage: usage ? usageOf(usage) : null,
  };
}

class ChoicesFold implements EventFold {
  readonly choices: readonly Choice[];
  usage: TokenUsage | undefined;

  constructor(choices: number) {
    this.choices = Array.from({ length: choices }, newChoice);
  }

  text(choice: number, text: string, _tokens: number, logprobs: readonly TokenLogprob[] | undefined): void {
    const into = this.choices[choice] as Choice;
    into.text += text;
    // One by one: a response can have more tokens than a call may have arguments.
    if (logprobs) for (const logprob of logprobs) into.logprobs.push(logprob);
  }

  event(event: OtherEvent): void {
    if (event.type === 'usage') this.usage = event;
    else if (event.type !== 'prompt-tokens') add(this.choices[event.choice] as Choice, event);
  }
}

function add(choice: Choice, event: Extract<OtherEvent, { choice: number }>): void {
  switch (event.type) {
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

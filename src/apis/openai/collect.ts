import type { TokenLogprob } from '../../contracts/contract.ts';
import type { EventFold, Generation, OtherEvent, RankedTokens, TokenUsage } from '../../contracts/events.ts';
import type { CompletionOptions } from '../../generate/completion-options.ts';
import { runInto } from '../../generate/run-into.ts';
import { promptLogprob, tokenTextOf } from '../../http/logprobs.ts';
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
  promptIds: ArrayLike<number> | undefined;
  promptLogprobs: readonly RankedTokens[] | undefined;
  readonly ids: number[];
}

/** Folds the events of a generation into the response that a request without streaming gets. */
export async function collect(
  generation: Generation,
  shape: ApiShape,
  options: CompletionOptions,
): Promise<Record<string, unknown>> {
  const { head, wantsLogprobs, wantsTokenIds } = options;
  const fold = new ChoicesFold(options.choices);
  await runInto(generation, fold);
  const { choices, usage } = fold;
  return {
    ...headFields(head, shape.responseObject),
    choices: choices.map((choice, index) => ({
      index,
      ...shape.whole({ text: choice.text, reasoning: choice.reasoning, calls: choice.calls.map(wireCall) }),
      logprobs: wantsLogprobs ? shape.logprobs(tokenTextOf(options))(choice.logprobs) : null,
      finish_reason: choice.reason,
      ...(shape.hasPromptPerChoice ? promptMembers(choice) : {}),
      ...(wantsTokenIds ? { token_ids: choice.ids } : {}),
    })),
    usage: usage ? usageOf(usage) : null,
    ...(shape.hasPromptPerChoice ? {} : promptMembers(choices[0])),
  };
}

/** What a request asks about its prompt. */
function promptMembers(choice: Choice | undefined): Record<string, unknown> {
  const { promptIds, promptLogprobs } = choice ?? {};
  return {
    ...(promptIds ? { prompt_token_ids: Array.from(promptIds) } : {}),
    ...(promptLogprobs ? { prompt_logprobs: promptLogprobs.map(promptLogprob) } : {}),
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
    case 'prompt-ids':
      choice.promptIds = event.ids;
      break;
    case 'prompt-logprobs':
      choice.promptLogprobs = event.tokens;
      break;
    case 'token-ids':
      for (const id of event.ids) choice.ids.push(id);
      break;
  }
}

function newChoice(): Choice {
  return {
    text: '',
    reasoning: undefined,
    calls: [],
    logprobs: [],
    reason: null,
    promptIds: undefined,
    promptLogprobs: undefined,
    ids: [],
  };
}

import type { TokenLogprob } from '../../contracts/contract.ts';
import type { EventFold, OtherEvent, TokenUsage, ToolCallDelta } from '../../contracts/events.ts';
import { inputOf } from '../../requests/call-input.ts';
import { packThought } from '../../requests/packed-reasoning.ts';
import type { CandidateEnding, FinishReason, ResponsePart } from './candidate.ts';

/** Receives the parts of the candidates, in order. */
export interface PartSink {
  /** With the logprobs of its tokens, if requested. There may be more tokens than the text shows. */
  text(choice: number, text: string, logprobs: readonly TokenLogprob[] | undefined): void;
  thought(choice: number, text: string): void;
  call(choice: number, part: ResponsePart): void;
}

interface OpenCall {
  readonly id: string;
  readonly name: string;
  json: string;
}

interface ChoiceState {
  call: OpenCall | undefined;
  /** The reasoning since the last function call. */
  reasoning: string;
  finishReason: FinishReason;
  logprobSum: number;
  logprobCount: number;
}

/** Reads the events of a generation: passes its parts to the sink, and stores the finish reasons and the usage. */
export class ResponseState implements EventFold {
  readonly #sink: PartSink;
  readonly #includesThoughts: boolean;
  readonly #choices: readonly ChoiceState[];
  #promptTokens = 0;
  #tokens = 0;
  #usage: TokenUsage | undefined;

  constructor(
    sink: PartSink,
    { choices, includesThoughts }: { readonly choices: number; readonly includesThoughts: boolean },
  ) {
    this.#sink = sink;
    this.#includesThoughts = includesThoughts;
    this.#choices = Array.from({ length: choices }, () => ({
      call: undefined,
      reasoning: '',
      finishReason: 'STOP',
      logprobSum: 0,
      logprobCount: 0,
    }));
  }

  text(choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): void {
    this.#tokens += tokens;
    if (logprobs) this.#addLogprobs(this.#at(choice), logprobs);
    if (text !== '' || logprobs?.length) this.#sink.text(choice, text, logprobs);
  }

  event(event: OtherEvent): void {
    switch (event.type) {
      case 'reasoning-delta':
        this.#at(event.choice).reasoning += event.text;
        if (event.text !== '' && this.#includesThoughts) this.#sink.thought(event.choice, event.text);
        break;
      case 'tool-call-delta':
        this.#addToCall(event);
        break;
      case 'finish':
        this.#closeCall(event.choice);
        this.#at(event.choice).finishReason = event.reason === 'length' ? 'MAX_TOKENS' : 'STOP';
        break;
      case 'prompt-tokens':
        this.#promptTokens += event.count;
        break;
      case 'usage':
        this.#usage = event;
        break;
      case 'prompt-ids':
      case 'prompt-logprobs':
      case 'token-ids':
        break;
    }
  }

  /** The ends of all candidates. */
  endings(): CandidateEnding[] {
    return this.#choices.map(({ finishReason, logprobSum, logprobCount }) => ({
      finishReason,
      ...(logprobCount > 0 ? { avgLogprobs: logprobSum / logprobCount } : {}),
    }));
  }

  /** The usage so far, under Google's names. Without a usage event, it counts the tokens of the deltas. */
  usage() {
    const { promptTokens, completionTokens, cachedTokens, reasoningTokens }: TokenUsage = this.#usage ?? {
      promptTokens: this.#promptTokens,
      completionTokens: this.#tokens,
    };
    return {
      promptTokenCount: promptTokens,
      candidatesTokenCount: completionTokens - (reasoningTokens ?? 0),
      totalTokenCount: promptTokens + completionTokens,
      ...(reasoningTokens === undefined ? {} : { thoughtsTokenCount: reasoningTokens }),
      ...(cachedTokens === undefined ? {} : { cachedContentTokenCount: cachedTokens }),
    };
  }

  #at(choice: number): ChoiceState {
    return this.#choices[choice] as ChoiceState;
  }

  #addLogprobs(state: ChoiceState, logprobs: readonly TokenLogprob[]): void {
    for (const { logprob } of logprobs) state.logprobSum += logprob;
    state.logprobCount += logprobs.length;
  }

  #addToCall({ choice, id, name, arguments: fragment }: ToolCallDelta): void {
    const state = this.#at(choice);
    if (id !== undefined && name !== undefined) {
      this.#closeCall(choice);
      state.call = { id, name, json: '' };
    }
    if (state.call) state.call.json += fragment;
  }

  #closeCall(choice: number): void {
    const state = this.#at(choice);
    const { call, reasoning } = state;
    if (!call) return;
    const { id, name, json } = call;
    state.call = undefined;
    state.reasoning = '';
    const functionCall = { id, name, args: inputOf(json) };
    this.#sink.call(choice, {
      functionCall,
      ...(reasoning.trim() === '' ? {} : { thoughtSignature: packThought(reasoning) }),
    });
  }
}

import type { TokenChoice, TokenLogprob } from '../../contracts/contract.ts';
import type { CompletionOptions } from '../../generate/completion-options.ts';
import { plainTokenText } from '../../http/logprobs.ts';

/** What every chunk of a response, and the whole response, say about it. */
export interface ResponseHead {
  /** As the request named it. */
  readonly modelVersion: string;
  readonly responseId: string;
}

/** The id has the same random part as the chat id, which is in the log and at the Triton server. */
export function responseHead({ head }: Pick<CompletionOptions, 'head'>): ResponseHead {
  return { modelVersion: head.model, responseId: head.id.slice(head.id.indexOf('-') + 1) };
}

/** A part of a candidate. */
export type ResponsePart =
  | { text: string; readonly thought?: true }
  | {
      readonly functionCall: { readonly id: string; readonly name: string; readonly args: unknown };
      readonly thoughtSignature?: string;
    };

export type FinishReason = 'STOP' | 'MAX_TOKENS';

/** The end of a candidate. */
export interface CandidateEnding {
  readonly finishReason: FinishReason;
  /** The mean logprob of its tokens; left out without logprobs. */
  readonly avgLogprobs?: number;
}

/** The members of a candidate in Google's order. */
export function candidateOf(
  index: number,
  parts: readonly ResponsePart[],
  { ending, logprobs }: { readonly ending?: CandidateEnding; readonly logprobs?: readonly TokenLogprob[] | undefined },
) {
  return {
    content: { parts, role: 'model' },
    ...ending,
    index,
    ...(logprobs ? { logprobsResult: logprobsResult(logprobs) } : {}),
  };
}

function logprobsResult(tokens: readonly TokenLogprob[]) {
  return {
    topCandidates: tokens.map(({ top }) => ({ candidates: top.map(tokenLogprob) })),
    chosenCandidates: tokens.map(tokenLogprob),
  };
}

function tokenLogprob(token: TokenChoice) {
  return { token: plainTokenText(token), tokenId: token.id, logProbability: token.logprob };
}

import { ApiError } from '../errors.ts';

/** What a response reports about tokens besides its own logprobs. */
export interface TokenReports {
  /** The ids of the tokens of prompt and response. */
  readonly ids: boolean;
  /** How many alternatives each token of the prompt has; undefined: no logprobs of the prompt. */
  readonly promptLogprobs: number | undefined;
  /** The same for the logprobs of a prompt that the response starts with. */
  readonly echoedLogprobs: number | undefined;
  /** Whether the response is only the prompt. The backend generates a token all the same, which is left out. */
  readonly isPromptOnly: boolean;
}

export interface ReportFields {
  readonly prompt_logprobs?: number | null | undefined;
  readonly return_token_ids?: boolean | null | undefined;
  readonly stream?: boolean | null | undefined;
}

interface EchoFacts {
  readonly echoedLogprobs?: number | undefined;
  /** The token limit of the request. */
  readonly maxTokens?: number | undefined;
}

/** The reports that a request asks for; undefined: none. */
export function reportsOf(
  request: ReportFields,
  { echoedLogprobs, maxTokens }: EchoFacts = {},
): TokenReports | undefined {
  const promptLogprobs = request.prompt_logprobs ?? undefined;
  const ids = request.return_token_ids ?? false;
  if (promptLogprobs === undefined && echoedLogprobs === undefined && !ids) return undefined;
  if (promptLogprobs !== undefined && request.stream)
    throw new ApiError('invalid_request', 'prompt_logprobs: cannot be combined with stream. Send only one of them.', {
      param: 'prompt_logprobs',
    });
  const needsBackend = promptLogprobs !== undefined || echoedLogprobs !== undefined;
  return { ids, promptLogprobs, echoedLogprobs, isPromptOnly: maxTokens === 0 && needsBackend };
}

/** How many alternatives the backend returns for each token of the prompt; undefined: no logprobs of the prompt. */
export function requestedPromptLogprobs(reports: TokenReports | undefined): number | undefined {
  const { promptLogprobs, echoedLogprobs } = reports ?? {};
  if (promptLogprobs === undefined || echoedLogprobs === undefined) return promptLogprobs ?? echoedLogprobs;
  return Math.max(promptLogprobs, echoedLogprobs);
}

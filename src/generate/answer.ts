import { randomBytes } from 'node:crypto';
import type { Sampling } from '../contracts/contract.ts';
import type { Generation } from '../contracts/events.ts';
import { ApiError } from '../errors.ts';
import type { ImageSettings } from '../images/image-sources.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { RequestWatch } from '../request-watch.ts';
import { type AnswerOptions, answerId } from './answer-options.ts';
import type { Coalescing } from './coalescing.ts';
import type { GuideGuard } from './guide-guard.ts';

/** What a request of either API becomes: the generation, how to write down its events, and what had no effect. */
export interface Answer {
  readonly options: AnswerOptions;
  readonly generation: Generation;
  readonly isStreamed: boolean;
  /** Parts of the request that had no effect, for the header that names them. */
  readonly ignored: readonly string[];
  /** How the form of an answer was held to, and in how many tries, where it was checked here: a header. */
  readonly structuredHeader?: string | undefined;
}

/** What the pipeline needs from outside the request. */
export interface GenerateContext {
  findModel(name: string): ServedModel;
  /** Hears how the request goes. */
  readonly watch: RequestWatch;
  /** Milliseconds; undefined: no limit. */
  readonly timeout: number | undefined;
  /** How often an unstreamed answer that its server breaks off is begun again. */
  readonly retries: number;
  /** How often an answer without its form is asked for again where the backend cannot guide it; 0: that is refused. */
  readonly structuredRetries: number;
  /** Whether an answer that a stop text ends is to say which one it was. */
  readonly tellsStop?: boolean;
  /**
   * Whether exact token counts are needed even where a stream does not ask for usage: its API reports them always, or its
   * key is charged by them. Left out: yes.
   */
  readonly needsCounts?: boolean;
  /** How many images a request may have, how large, and where they may be fetched from. */
  readonly images: ImageSettings;
  /** Who sends the request: the id of its API key, or its address. */
  readonly client?: string | undefined;
  /** Left out where streams give every delta at once. */
  readonly coalescing?: Coalescing | undefined;
  /** Left out where no structured-output guide is kept back. */
  readonly guides?: GuideGuard | undefined;
}

/** The fields of a request that shape its answer in both APIs. */
interface AnswerRequest {
  readonly model: string;
  readonly stream?: boolean | null | undefined;
  readonly stream_options?:
    | { include_usage?: boolean | null | undefined; continuous_usage_stats?: boolean | null | undefined }
    | null
    | undefined;
  readonly stream_interval?: number | null | undefined;
  readonly request_id?: string | null | undefined;
  readonly return_tokens_as_token_ids?: boolean | null | undefined;
  readonly service_tier?: unknown;
}

interface AnswerFacts {
  readonly idPrefix: 'chatcmpl' | 'cmpl';
  readonly model: ServedModel;
  readonly choices: number;
  /** How many inferences it takes; as many as choices when left out. */
  readonly inferences?: number;
  readonly wantsLogprobs: boolean;
}

/** The most answers that one request may ask for: prompts times n. */
const mostChoices = 1024;

export function answerOptions(request: AnswerRequest, facts: AnswerFacts): AnswerOptions {
  const { idPrefix, model, choices, wantsLogprobs } = facts;
  const { inferences = choices } = facts;
  if (inferences > mostChoices)
    throw new ApiError(
      'invalid_request',
      `n: the request asks for ${inferences} answers; at most ${mostChoices} are allowed.`,
      {
        param: 'n',
      },
    );
  if (request.stream_options && !request.stream)
    throw new ApiError('invalid_request', 'stream_options: only allowed when stream is true.', {
      param: 'stream_options',
    });
  const id = request.request_id ? `${idPrefix}-${request.request_id}` : answerId(idPrefix);
  return {
    // Two requests may name themselves alike; an engine that is told to end one must not end the other.
    inferenceId: request.request_id ? `${id}-${randomBytes(4).toString('hex')}` : id,
    head: {
      id,
      created: Math.floor(Date.now() / 1000),
      model: request.model,
      fingerprint: model.fingerprint,
      serviceTier: request.service_tier ? 'default' : undefined,
    },
    choices,
    usage: {
      inTheEnd: request.stream_options?.include_usage ?? false,
      onEveryChunk: request.stream_options?.continuous_usage_stats ?? false,
    },
    wantsLogprobs,
    streamInterval: request.stream_interval ?? 1,
    namesTokenIds: request.return_tokens_as_token_ids ?? false,
  };
}

/** Checks the lengths against each other; either may be left out. */
export function withLength(sampling: Sampling, maxTokens: number | null | undefined): Sampling {
  if (maxTokens === null || maxTokens === undefined) return sampling;
  if ((sampling.minTokens ?? 0) > maxTokens)
    throw new ApiError(
      'invalid_request',
      `min_tokens: must not be more than the ${maxTokens} tokens that are allowed.`,
      {
        param: 'min_tokens',
      },
    );
  return { ...sampling, maxTokens };
}

/** Whether the token counts of a response must be exact: somebody sees them, is charged by them, or sets limits by them. */
export function needsCounts(
  { usage }: AnswerOptions,
  { isStreamed, isGuided }: { readonly isStreamed: boolean; readonly isGuided: boolean },
  settings: Pick<GenerateContext, 'needsCounts'>,
): boolean {
  // A guided response may come in several inferences, each of which has what the ones before it left of the limit.
  return !isStreamed || isGuided || usage.inTheEnd || usage.onEveryChunk || (settings.needsCounts ?? true);
}

/** Whether the usage that a client asks for takes a tokenizer on this side. */
export function countsHere(model: ServedModel, { usage }: AnswerOptions, { asksServer = true } = {}): boolean {
  return (usage.inTheEnd || usage.onEveryChunk) && !(asksServer && model.contract.counts);
}

/** Usage that a client asks for must be known; where nobody counts, the wish is refused by name. */
export function refuseUncounted(model: ServedModel): never {
  throw new ApiError(
    'unsupported_parameter',
    `stream_options.include_usage: the server does not count the tokens here, and no tokenizer is set; ` +
      `start Conch with --tokenizer ${model.name}=DIR.`,
    { param: 'stream_options.include_usage' },
  );
}

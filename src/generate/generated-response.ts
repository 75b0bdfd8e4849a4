import { randomBytes } from 'node:crypto';
import type { Sampling } from '../contracts/contract.ts';
import type { Generation } from '../contracts/events.ts';
import { ApiError } from '../errors.ts';
import type { ImageSettings } from '../images/image-sources.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { RequestWatch } from '../request-watch.ts';
import type { Coalescer } from './coalescer.ts';
import { type CompletionOptions, responseId } from './completion-options.ts';
import type { GuideGuard } from './guide-guard.ts';

/** The result of a request of either API: the generation, how to write its events, and which fields were ignored. */
export interface GeneratedResponse {
  readonly options: CompletionOptions;
  readonly generation: Generation;
  readonly isStreamed: boolean;
  /** Ignored parts of the request, for the header that names them. */
  readonly ignored: readonly string[];
  /** The header that says how Conch checked the structure of a response, and in how many tries. */
  readonly structuredHeader?: string | undefined;
}

/** What the pipeline needs from outside the request. */
export interface GenerateContext {
  findModel(name: string): ServedModel;
  /** Observes the request. */
  readonly watch: RequestWatch;
  /** Milliseconds; undefined: no limit. */
  readonly timeout: number | undefined;
  /** How often Conch retries an unstreamed response that its server breaks off. */
  readonly retries: number;
  /** How often Conch retries a response that does not match, if the backend cannot guide it; 0: that is refused. */
  readonly structuredRetries: number;
  /** Whether fields that this model cannot follow are refused instead of ignored; left out: no. */
  readonly strictFields?: boolean;
  /** Whether a response that a stop sequence ends says which one it was. */
  readonly tellsStop?: boolean;
  /**
   * Whether exact token counts are needed even where a stream does not ask for usage: its API always reports them, or
   * its key is charged by them. Left out: yes.
   */
  readonly needsCounts?: boolean;
  /** How many images a request may have, how large, and where they may be fetched from. */
  readonly images: ImageSettings;
  /** Who sends the request: the id of its API key, or its address. */
  readonly client?: string | undefined;
  /** Left out if streams send every delta at once. */
  readonly coalescing?: Coalescer | undefined;
  /** Left out if there is no guide quarantine. */
  readonly guides?: GuideGuard | undefined;
}

/** The fields of a request that shape its response in both APIs. */
interface SharedRequestFields {
  readonly model: string;
  readonly stream?: boolean | null | undefined;
  readonly stream_options?:
    | { include_usage?: boolean | null | undefined; continuous_usage_stats?: boolean | null | undefined }
    | null
    | undefined;
  readonly stream_interval?: number | null | undefined;
  readonly request_id?: string | null | undefined;
  readonly return_token_ids?: boolean | null | undefined;
  readonly return_tokens_as_token_ids?: boolean | null | undefined;
  readonly service_tier?: unknown;
}

interface OptionsContext {
  readonly idPrefix: 'chatcmpl' | 'cmpl';
  readonly model: ServedModel;
  readonly choices: number;
  /** How many inferences it takes; left out: as many as choices. */
  readonly inferences?: number;
  readonly wantsLogprobs: boolean;
}

/** The maximum number of choices of one request: prompts times n. */
const mostChoices = 1024;

export function completionOptions(request: SharedRequestFields, facts: OptionsContext): CompletionOptions {
  const { idPrefix, model, choices, wantsLogprobs } = facts;
  const { inferences = choices } = facts;
  if (inferences > mostChoices)
    throw new ApiError(
      'invalid_request',
      `n: the request asks for ${inferences} choices; the limit is ${mostChoices}. Lower n or best_of, or send fewer prompts.`,
      {
        param: 'n',
      },
    );
  if (request.stream_options && !request.stream)
    throw new ApiError('invalid_request', 'stream_options: only allowed when stream is true.', {
      param: 'stream_options',
    });
  const id = request.request_id ? `${idPrefix}-${request.request_id}` : responseId(idPrefix);
  return {
    // Two requests may have the same request_id; ending one of them on the engine must not end the other.
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
    wantsTokenIds: request.return_token_ids ?? false,
    streamInterval: request.stream_interval ?? 1,
    sendsEveryToken: request.stream_interval === 1,
    namesTokenIds: request.return_tokens_as_token_ids ?? false,
  };
}

/** Checks the lengths against each other; either may be left out. */
export function withLength(sampling: Sampling, maxTokens: number | null | undefined): Sampling {
  if (maxTokens === null || maxTokens === undefined) return sampling;
  if ((sampling.minTokens ?? 0) > maxTokens)
    throw new ApiError(
      'invalid_request',
      `min_tokens: must be at most ${maxTokens}, the token limit of this response.`,
      {
        param: 'min_tokens',
      },
    );
  return { ...sampling, maxTokens };
}

/** Whether the token counts of a response must be exact: a client sees them, or is charged or limited by them. */
export function needsCounts(
  { usage }: CompletionOptions,
  { isStreamed, isGuided }: { readonly isStreamed: boolean; readonly isGuided: boolean },
  settings: Pick<GenerateContext, 'needsCounts'>,
): boolean {
  // A guided response may take several inferences, each of which gets the rest of the token limit.
  return !isStreamed || isGuided || usage.inTheEnd || usage.onEveryChunk || (settings.needsCounts ?? true);
}

/** Whether the usage that a client requests needs a tokenizer in Conch. */
export function countsHere(model: ServedModel, { usage }: CompletionOptions, { asksServer = true } = {}): boolean {
  return (usage.inTheEnd || usage.onEveryChunk) && !(asksServer && model.contract.counts);
}

/** Refuses a request for usage if neither the backend nor Conch can count the tokens. */
export function refuseUncounted(model: ServedModel): never {
  throw new ApiError(
    'unsupported_parameter',
    `stream_options.include_usage: not supported, because neither the backend nor a tokenizer counts the tokens. ` +
      `Start Conch with --tokenizer ${model.name}=DIR.`,
    { param: 'stream_options.include_usage' },
  );
}

import { ApiError } from '../errors.ts';
import type { ServedModel } from '../models/served-model.ts';

/** How the prompts of a request become tokens, if the request says so. */
export interface Tokenization {
  /** Whether BOS and the like are added; undefined: as the model needs it. */
  readonly addSpecialTokens: boolean | undefined;
  readonly truncation: Truncation | undefined;
}

interface Truncation {
  /** The token limit of a prompt; -1: what the context length leaves. */
  readonly most: number;
  /** Where tokens are removed. */
  readonly side: 'left' | 'right';
}

export interface TokenizationFields {
  readonly add_special_tokens?: boolean | null | undefined;
  readonly truncate_prompt_tokens?: number | null | undefined;
  readonly truncation_side?: 'left' | 'right' | null | undefined;
}

/**
 * How a request changes the tokenization. `usual` is the value of `add_special_tokens` that a server which tokenizes the
 * prompt itself fulfills.
 */
export function tokenizationOf(
  request: TokenizationFields,
  { model: { contract }, usual }: { readonly model: ServedModel; readonly usual: boolean },
): Tokenization | undefined {
  const { truncate_prompt_tokens: most, truncation_side: side } = request;
  const { speaksTokens } = contract;
  const adds = request.add_special_tokens ?? undefined;
  if (!speaksTokens && adds === !usual)
    throw unsupported('add_special_tokens', 'The server adds special tokens itself.');
  const field = typeof most === 'number' ? 'truncate_prompt_tokens' : 'truncation_side';
  if (typeof most === 'number' || side) {
    const support = contract.support('truncate_prompt_tokens');
    if (support.kind === 'refused') throw unsupported(field, support.reason);
  }
  const truncation = typeof most === 'number' ? { most, side: side ?? ('left' as const) } : undefined;
  const addSpecialTokens = speaksTokens ? adds : undefined;
  return truncation || addSpecialTokens !== undefined ? { truncation, addSpecialTokens } : undefined;
}

/** Refuses to truncate a prompt with images: it could lose the placeholder of one. */
export function refuseTruncatedImages(tokenization: Tokenization | undefined, images: number): void {
  if (!tokenization?.truncation || images === 0) return;
  const param = 'truncate_prompt_tokens';
  throw new ApiError('invalid_request', `${param}: cannot be combined with images. Send only one of them.`, { param });
}

interface PromptLimits {
  readonly model: Pick<ServedModel, 'contextLength' | 'contract'>;
  readonly maxTokens: number | undefined;
}

/** The tokens of a prompt, truncated as the request says. */
export function truncated(ids: Int32Array, truncation: Truncation | undefined, limits: PromptLimits): Int32Array {
  if (!truncation) return ids;
  const most = truncation.most === -1 ? longestPrompt(limits) : truncation.most;
  if (ids.length <= most) return ids;
  return truncation.side === 'left' ? ids.slice(ids.length - most) : ids.slice(0, most);
}

/** What the context length leaves for a prompt: at least one token is generated. */
function longestPrompt({ model, maxTokens = 1 }: PromptLimits): number {
  const { prompt } = model.contract.limits;
  const context = model.contextLength();
  if (context === undefined && prompt === undefined) {
    const param = 'truncate_prompt_tokens';
    const message = `${param}: the context length of this model is unknown. Send a number of tokens.`;
    throw new ApiError('invalid_request', message, { param });
  }
  const room = context === undefined ? Number.POSITIVE_INFINITY : context - Math.max(1, maxTokens);
  return Math.max(1, Math.min(room, prompt ?? Number.POSITIVE_INFINITY));
}

function unsupported(param: string, reason: string): ApiError {
  return new ApiError('unsupported_parameter', `${param}: ${reason}`, { param });
}

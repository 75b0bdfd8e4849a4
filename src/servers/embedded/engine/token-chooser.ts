import { randomInt } from 'node:crypto';
import type {
  Bindings,
  ContextBinding,
  GrammarStateBinding,
  ModelBinding,
  SamplerBinding,
  SamplerConfig,
} from './engine-types.ts';
import type { SamplingParameters } from './sampling-parameters.ts';
import type { Vocabulary } from './vocabulary.ts';

interface ChooserOptions {
  readonly bindings: Bindings;
  readonly model: ModelBinding;
  readonly vocabulary: Vocabulary;
  readonly parameters: SamplingParameters;
  readonly prompt: readonly number[];
  /** The token ids of the forbidden words. */
  readonly badWords: readonly (readonly number[])[];
  readonly grammar: GrammarStateBinding | undefined;
  readonly contextLength: number;
}

/** Below this temperature, vLLM chooses the most likely token. */
const coldest = 1e-5;

/** Chooses the tokens of one generation by its sampling parameters. */
export class TokenChooser {
  readonly #options: ChooserOptions;
  readonly #sampler: SamplerBinding;
  readonly #seed: number;
  /** The biases that do not change during the generation. */
  readonly #fixedBiases: ReadonlyMap<number, number>;
  readonly #longBadWords: readonly (readonly number[])[];
  readonly #counts: Map<number, number> | undefined;
  #wasMoving = true;

  constructor(options: ChooserOptions) {
    const { parameters, badWords } = options;
    this.#options = options;
    this.#sampler = new options.bindings.AddonSampler(options.model);
    this.#seed = parameters.seed === undefined ? randomInt(2 ** 32 - 1) : parameters.seed >>> 0;
    this.#fixedBiases = fixedBiases(options);
    this.#longBadWords = badWords.filter(({ length }) => length > 1);
    const { repetition_penalty: repetition, presence_penalty: presence, frequency_penalty: frequency } = parameters;
    // The engine applies all penalties to the same tokens. In vLLM only the first one includes the prompt.
    const isMixed = repetition !== 1 && (presence !== 0 || frequency !== 0);
    this.#counts = isMixed ? new Map() : undefined;
  }

  /** The next token; -1 if no token is allowed. `output` has the tokens so far. */
  async choose(context: ContextBinding, at: number, output: readonly number[]): Promise<number> {
    const moving = this.#movingBiases(output);
    if (moving.size > 0 || this.#wasMoving) this.#sampler.applyConfig(this.#config(output, moving));
    this.#wasMoving = moving.size > 0;
    const token = await context.sampleToken(at, this.#sampler);
    this.#counts?.set(token, (this.#counts.get(token) ?? 0) + 1);
    return token;
  }

  dispose(): void {
    this.#sampler.dispose();
  }

  #config(output: readonly number[], moving: ReadonlyMap<number, number>): SamplerConfig {
    const { parameters, grammar } = this.#options;
    const { temperature, top_k: topK, top_p: topP, min_p: minP } = parameters;
    const biases = moving.size === 0 ? this.#fixedBiases : new Map([...this.#fixedBiases, ...moving]);
    return {
      temperature: temperature < coldest ? 0 : temperature,
      seed: this.#seed,
      ...(topK > 0 ? { topK } : {}),
      ...(topP < 1 ? { topP } : {}),
      ...(minP > 0 ? { minP } : {}),
      ...this.#penalties(output),
      ...(biases.size > 0
        ? { tokenBiasKeys: Uint32Array.from(biases.keys()), tokenBiasValues: Float32Array.from(biases.values()) }
        : {}),
      ...(grammar ? { grammarEvaluationState: grammar } : {}),
    };
  }

  #penalties(output: readonly number[]): SamplerConfig {
    const { parameters, prompt, contextLength } = this.#options;
    const { repetition_penalty: repetition, presence_penalty: presence, frequency_penalty: frequency } = parameters;
    if (repetition === 1 && presence === 0 && frequency === 0) return {};
    return {
      repeatPenalty: repetition,
      repeatPenaltyPresencePenalty: this.#counts ? 0 : presence,
      repeatPenaltyFrequencyPenalty: this.#counts ? 0 : frequency,
      repeatPenaltyMaxTokens: contextLength,
      repeatPenaltyTokens: Uint32Array.from(repetition === 1 ? output : [...prompt, ...output]),
    };
  }

  /** The biases that depend on the output so far: `min_tokens`, started forbidden words, counted tokens. */
  #movingBiases(output: readonly number[]): Map<number, number> {
    const { vocabulary, parameters } = this.#options;
    const { presence_penalty: presence, frequency_penalty: frequency } = parameters;
    const biases = new Map<number, number>();
    for (const [token, count] of this.#counts ?? [])
      biases.set(token, (this.#fixedBiases.get(token) ?? 0) - presence - frequency * count);
    if (output.length < parameters.min_tokens)
      for (const token of [...vocabulary.ends, ...parameters.stop_token_ids])
        biases.set(token, Number.NEGATIVE_INFINITY);
    for (const word of this.#longBadWords)
      if (endsWith(output, word.slice(0, -1))) biases.set(word.at(-1) as number, Number.NEGATIVE_INFINITY);
    return biases;
  }
}

function fixedBiases({ parameters, badWords, vocabulary }: ChooserOptions): Map<number, number> {
  const biases = new Map<number, number>();
  for (const [token, bias] of Object.entries(parameters.logit_bias)) biases.set(Number(token), bias);
  const { allowed_token_ids: allowed } = parameters;
  if (allowed) {
    const isAllowed = new Set(allowed);
    for (let token = 0; token < vocabulary.size; token++)
      if (!isAllowed.has(token)) biases.set(token, Number.NEGATIVE_INFINITY);
  }
  for (const word of badWords) if (word.length === 1) biases.set(word[0] as number, Number.NEGATIVE_INFINITY);
  return biases;
}

function endsWith(output: readonly number[], end: readonly number[]): boolean {
  if (end.length > output.length) return false;
  return end.every((token, index) => output[output.length - end.length + index] === token);
}

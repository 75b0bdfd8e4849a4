import type { Bindings, ContextBinding, ModelBinding, SamplerBinding } from './engine-types.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The logprobs of one chosen token. */
export interface ChosenLogprob {
  readonly logprob: number;
  /** The entry of vLLM's list: the chosen token first, then the most likely ones. */
  readonly json: string;
}

/** Reads the model's own probabilities, before temperature, penalties and grammar: as vLLM reports them. */
export class LogprobReader {
  readonly #sampler: SamplerBinding;
  readonly #vocabulary: Vocabulary;
  readonly #count: number;

  constructor(parts: { bindings: Bindings; model: ModelBinding; vocabulary: Vocabulary; count: number }) {
    this.#sampler = new parts.bindings.AddonSampler(parts.model);
    // A sampler that takes the most likely token does not change the logits.
    this.#sampler.applyConfig({ temperature: 0 });
    this.#vocabulary = parts.vocabulary;
    this.#count = parts.count;
  }

  async read(context: ContextBinding, at: number, token: number): Promise<ChosenLogprob> {
    const top = Math.max(1, this.#count);
    const filter = [[token], false, false, false, top] as [number[], false, false, false, number];
    const [, , , logits = [], weight = 1] = await context.sampleToken(at, this.#sampler, false, false, filter, true);
    const offset = (logits[1] ?? 0) + Math.log(weight);
    const likeliest = Array.from({ length: Math.min(top, logits.length / 2) }, (_, index) => ({
      id: logits[2 * index] as number,
      logprob: (logits[2 * index + 1] as number) - offset,
      rank: index + 1,
    }));
    const known = likeliest.find(({ id }) => id === token);
    // Its rank among tens of thousands is not worth a sort: null if it is not among the top ones.
    const chosen = known ?? { id: token, logprob: (logits.at(-1) ?? Number.NEGATIVE_INFINITY) - offset, rank: null };
    const others = likeliest.slice(0, this.#count).filter(({ id }) => id !== token);
    return { logprob: chosen.logprob, json: `{${[chosen, ...others].map((entry) => this.#entry(entry)).join(', ')}}` };
  }

  dispose(): void {
    this.#sampler.dispose();
  }

  #entry({ id, logprob, rank }: { id: number; logprob: number; rank: number | null }): string {
    const figure = Number.isFinite(logprob) ? String(Math.min(0, logprob)) : '-Infinity';
    const text = JSON.stringify(this.#vocabulary.text(id));
    return `"${id}": {"logprob": ${figure}, "rank": ${rank}, "decoded_token": ${text}}`;
  }
}

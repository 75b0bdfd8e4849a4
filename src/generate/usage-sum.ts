import type { TokenUsage } from '../contracts/events.ts';

/** The sum of the usages of several inferences. */
export class UsageSum {
  #sum: { -readonly [Key in keyof TokenUsage]: TokenUsage[Key] } | undefined = { promptTokens: 0, completionTokens: 0 };

  /** Inferences that share a prompt, for example several choices, count it once. */
  add(usage: TokenUsage | undefined, { countsPrompt }: { readonly countsPrompt: boolean }): void {
    const sum = this.#sum;
    if (!sum || !usage) {
      this.#sum = undefined;
      return;
    }
    sum.completionTokens += usage.completionTokens;
    if (usage.reasoningTokens !== undefined) sum.reasoningTokens = (sum.reasoningTokens ?? 0) + usage.reasoningTokens;
    if (usage.draftTokens !== undefined) {
      sum.draftTokens = (sum.draftTokens ?? 0) + usage.draftTokens;
      sum.acceptedTokens = (sum.acceptedTokens ?? 0) + (usage.acceptedTokens ?? 0);
    }
    if (!countsPrompt) return;
    sum.promptTokens += usage.promptTokens;
    if (usage.cachedTokens !== undefined) sum.cachedTokens = (sum.cachedTokens ?? 0) + usage.cachedTokens;
  }

  /** Undefined if one of them was not counted. */
  get total(): TokenUsage | undefined {
    return this.#sum;
  }
}

import type { IdLogprob, TokenLogprob } from '../contracts/contract.ts';
import type { TokenTable } from '../tokenizer.ts';
import { Detokenizer, tokenBytes, tokenText } from './detokenizer.ts';
import { StopStrings } from './stop-strings.ts';

interface CompletionTextOptions {
  readonly stops: readonly string[];
  /** Whether the stop sequence that ends the completion is a part of it. */
  readonly keepsStop: boolean;
  /** Required where the backend returns token ids. */
  readonly table?: TokenTable | undefined;
  readonly skipSpecialTokens: boolean;
  /** No stop sequence ends within this number of token ids; left out: 0. */
  readonly minTokens?: number | undefined;
  /** Whether it continues a text, so that the space before its first word is a part of it. */
  readonly continuesText: boolean;
}

/** What a step adds to a completion. */
interface TextAddition {
  readonly text: string;
  /** How many tokens were read: none after the one that completes a stop sequence. */
  readonly tokens: number;
  readonly logprobs: readonly TokenLogprob[] | undefined;
}

/** A token whose text may still turn out to be a part of a stop sequence. */
interface HeldToken {
  readonly token: TokenLogprob;
  /** Where its text begins and ends in the completion. */
  readonly start: number;
  readonly end: number;
}

/** The text of one completion where Conch makes it: tokens become text, and the first stop sequence ends it. */
export class CompletionText {
  readonly #table: TokenTable | undefined;
  readonly #detokenizer: Detokenizer | undefined;
  readonly #stops: StopStrings;
  readonly #minTokens: number;
  #tokens = 0;
  #held: HeldToken[] = [];
  #made = 0;
  #emittedLength = 0;

  constructor({ stops, keepsStop, table, skipSpecialTokens, continuesText, minTokens = 0 }: CompletionTextOptions) {
    this.#minTokens = minTokens;
    this.#table = table;
    this.#detokenizer = table && new Detokenizer(table, { skipSpecialTokens, continuesText });
    this.#stops = new StopStrings(stops, { keepsStop });
  }

  /** Whether a stop sequence was found: what comes after it is no part of the completion. */
  get isStopped(): boolean {
    return this.#stops.found !== undefined;
  }

  /** The stop sequence that was found. */
  get stopText(): string | undefined {
    return this.#stops.found;
  }

  /** Text as the backend made it. The number of its tokens may be unknown, so `minTokens` does not apply. */
  push(text: string): string {
    return this.#stops.push(text);
  }

  pushIds(ids: readonly number[], logprobs: readonly IdLogprob[] | undefined): TextAddition {
    let text = '';
    let tokens = 0;
    for (const id of ids) {
      const piece = this.#detokenizer?.push(id) ?? '';
      if (logprobs) this.#hold(logprobs[tokens], piece.length);
      tokens++;
      this.#tokens++;
      text += this.#cut(piece);
      if (this.isStopped) break;
    }
    this.#emittedLength += text.length;
    return { text, tokens, logprobs: logprobs && this.#release() };
  }

  /** What was held back, when nothing more comes. */
  end(): TextAddition {
    const rest = this.#cut(this.#detokenizer?.flush() ?? '');
    const text = this.isStopped ? rest : rest + this.#stops.flush();
    this.#emittedLength += text.length;
    const hasLogprobs = this.#held.length > 0;
    return { text, tokens: 0, logprobs: hasLogprobs ? this.#release(!this.isStopped) : undefined };
  }

  /** What is certain not to be a part of a stop sequence. */
  #cut(text: string): string {
    const mayStop = this.#minTokens === 0 || this.#tokens > this.#minTokens;
    return mayStop ? this.#stops.push(text) : this.#stops.skip(text);
  }

  #hold(logprob: IdLogprob | undefined, length: number): void {
    const table = this.#table;
    const start = this.#made;
    this.#made += length;
    if (!logprob || !table) return;
    const top = logprob.top.map(({ id, logprob: value }) => namedToken(table, id, value));
    const token = { ...namedToken(table, logprob.id, logprob.logprob), top };
    this.#held.push({ token, start, end: this.#made });
  }

  /** The tokens whose text was passed on; of a stop sequence that was cut, those that begin before it. */
  #release(all = false): TokenLogprob[] {
    const emittedLength = this.#emittedLength;
    const isOut = ({ start, end }: HeldToken): boolean =>
      all || end <= emittedLength || (this.isStopped && start < emittedLength);
    let count = 0;
    while (count < this.#held.length && isOut(this.#held[count] as HeldToken)) count++;
    return this.#held.splice(0, count).map(({ token }) => token);
  }
}

function namedToken(table: TokenTable, id: number, logprob: number) {
  return { id, logprob, text: tokenText(table, id), bytes: tokenBytes(table, id) };
}

import type { Vocabulary } from './vocabulary.ts';

/** Turns the ids of one answer into text as they come. A character whose bytes are not all there waits for the rest. */
export class Detokenizer {
  readonly #vocabulary: Vocabulary;
  readonly #skipsControl: boolean;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  constructor(vocabulary: Vocabulary, { skipSpecialTokens }: { readonly skipSpecialTokens: boolean }) {
    this.#vocabulary = vocabulary;
    this.#skipsControl = skipSpecialTokens;
  }

  /** The text that is certain with this token. */
  push(id: number): string {
    if (this.#skipsControl && this.#vocabulary.isControl(id)) return '';
    return this.#decoder.decode(this.#vocabulary.bytes(id), { stream: true });
  }

  /** What waits for a rest that does not come. */
  flush(): string {
    return this.#decoder.decode();
  }
}

import { type TokenTable, tokenKind } from '../tokenizer.ts';
import { tokenText } from './detokenizer.ts';

/** A character of special tokens' texts, and what may follow it. */
interface Node {
  readonly next: Map<number, Node>;
  isEnd: boolean;
}

/**
 * Takes the texts of special tokens out of a text that comes in pieces. A backend that is to keep some of them, because
 * tool calls are written with them, keeps them all.
 */
export class SpecialTexts {
  readonly #root: Node;
  #held = '';

  constructor(texts: readonly string[]) {
    this.#root = treeOf(texts);
  }

  /** What is certain not to be a part of such a text. */
  push(text: string): string {
    const all = this.#held + text;
    let given = '';
    let from = 0;
    let at = 0;
    while (at < all.length) {
      const length = this.#lengthAt(all, at);
      if (length === 'open') break;
      if (length === 0) at++;
      else {
        given += all.slice(from, at);
        at += length;
        from = at;
      }
    }
    this.#held = all.slice(at);
    return given + all.slice(from, at);
  }

  /** What was held back when no more text comes. */
  flush(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }

  /** How long the special text is that begins here; 0 for none, `open` where the rest of the piece could become one. */
  #lengthAt(text: string, start: number): number | 'open' {
    let node = this.#root;
    let longest = 0;
    for (let at = start; at < text.length; at++) {
      const next = node.next.get(text.charCodeAt(at));
      if (!next) return longest;
      node = next;
      if (node.isEnd) longest = at + 1 - start;
    }
    return node.next.size > 0 ? 'open' : longest;
  }
}

function treeOf(texts: readonly string[]): Node {
  const root: Node = { next: new Map(), isEnd: false };
  for (const text of texts) {
    let node = root;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const next = node.next.get(code) ?? { next: new Map(), isEnd: false };
      node.next.set(code, next);
      node = next;
    }
    node.isEnd = text.length > 0;
  }
  return root;
}

const known = new WeakMap<TokenTable, readonly string[]>();

/** The texts of all special tokens of a vocabulary. */
export function specialTextsOf(table: TokenTable): readonly string[] {
  let texts = known.get(table);
  if (texts === undefined) {
    const found: string[] = [];
    table.kinds.forEach((kind, id) => {
      if ((kind & tokenKind.special) !== 0) found.push(tokenText(table, id));
    });
    texts = found;
    known.set(table, texts);
  }
  return texts;
}

import { type TokenTable, tokenKind } from '../tokenizer.ts';
import { tokenText } from './detokenizer.ts';

/** A character of special tokens' texts, and what may follow it. */
export interface SpecialTree {
  readonly next: Map<number, SpecialTree>;
  isEnd: boolean;
}

/**
 * Takes the texts of special tokens out of a text that comes in pieces. A backend that is to keep some of them, because
 * tool calls are written with them, keeps them all.
 */
export class SpecialTexts {
  readonly #root: SpecialTree;
  #held = '';

  constructor(tree: SpecialTree) {
    this.#root = tree;
  }

  /** What is certain not to be a part of a special token's text. */
  push(text: string): string {
    const all = this.#held + text;
    let result = '';
    let from = 0;
    let at = 0;
    while (at < all.length) {
      const length = this.#lengthAt(all, at);
      if (length === 'open') break;
      if (length === 0) at++;
      else {
        result += all.slice(from, at);
        at += length;
        from = at;
      }
    }
    this.#held = all.slice(at);
    return result + all.slice(from, at);
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

/** All texts, character by character. */
export function treeOf(texts: readonly string[]): SpecialTree {
  const root: SpecialTree = { next: new Map(), isEnd: false };
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

/** By vocabulary, and by the retained texts: building a tree of some hundred texts is too slow for each request. */
const known = new WeakMap<TokenTable, Map<string, SpecialTree>>();

/** The texts of the special tokens of a vocabulary, except those to retain. */
export function specialTreeOf(table: TokenTable, retainedTexts: ReadonlySet<string>): SpecialTree {
  const trees = known.get(table) ?? new Map<string, SpecialTree>();
  known.set(table, trees);
  const key = [...retainedTexts].toSorted().join('\0');
  const tree = trees.get(key) ?? treeOf(specialTexts(table).filter((text) => !retainedTexts.has(text)));
  trees.set(key, tree);
  return tree;
}

/** Which of these texts are special tokens of a vocabulary. */
export function specialAmong(table: TokenTable, texts: readonly string[]): readonly string[] {
  const special = knownTexts.get(table) ?? new Set(specialTexts(table));
  knownTexts.set(table, special);
  return texts.filter((text) => special.has(text));
}

const knownTexts = new WeakMap<TokenTable, ReadonlySet<string>>();

function specialTexts(table: TokenTable): string[] {
  const texts: string[] = [];
  table.kinds.forEach((kind, id) => {
    if ((kind & tokenKind.special) !== 0) texts.push(tokenText(table, id));
  });
  return texts;
}

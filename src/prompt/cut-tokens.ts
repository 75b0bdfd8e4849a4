/** The parts of a tokenizer.json that say where a text may be cut. The native package has already checked them. */
interface Definition {
  readonly added_tokens?: readonly AddedToken[];
  readonly normalizer?: Stage | null;
  readonly post_processor?: Stage | null;
  readonly model?: { readonly dropout?: number | null } | null;
}

interface AddedToken {
  readonly content: string;
  readonly special: boolean;
  readonly normalized: boolean;
  readonly rstrip: boolean;
  readonly single_word: boolean;
}

interface Stage {
  readonly type: string;
  readonly normalizers?: readonly Stage[];
  readonly processors?: readonly Stage[];
  /** What a TemplateProcessing makes of one text. */
  readonly single?: readonly object[];
}

/** More than any chat template writes: each further one makes the search for them slower. */
const mostTokens = 64;
/** Special tokens that no chat template writes. */
const fillers = /reserved|unused|place.?holder|special_?\d|<unk>|\[unk\]|<pad>|\[pad\]/i;

/**
 * The special tokens behind which every text may be cut: the tokens of the parts, one after the other, are the tokens
 * of the whole. The tokenizer takes added tokens out of a text first; what is between two of them is normalized, split
 * and tokenized by itself. Empty where the definition does not guarantee that.
 */
export function cutTokens(definition: unknown): string[] {
  const { added_tokens: all = [], normalizer, post_processor: post, model } = definition as Definition;
  const added = all.filter(({ content }) => content !== '');
  // A token that must be a word of its own looks at its neighbours on both sides of a cut.
  if (model?.dropout || added.some((token) => token.single_word) || !framesOnly(post)) return [];
  const normalizes = !isEmpty(normalizer);
  const candidates = added.filter(
    ({ content, special, rstrip, normalized }) =>
      special &&
      // It takes spaces behind it away, wherever they end.
      !rstrip &&
      // It is looked for in the normalized text, which is not what is cut.
      !(normalized && normalizes) &&
      !fillers.test(content),
  );
  const contents = [...new Set(candidates.map(({ content }) => content))];
  const isSeparable = separable(added.map(({ content }) => content));
  return contents.filter(isSeparable).slice(0, mostTokens);
}

/** Whether a post-processor does nothing to the tokens of a text but put others before and behind them. */
function framesOnly(post: Stage | null | undefined): boolean {
  switch (post?.type) {
    case undefined:
    case 'ByteLevel':
    case 'BertProcessing':
    case 'RobertaProcessing':
      return true;
    case 'TemplateProcessing':
      return post?.single?.filter((piece) => 'Sequence' in piece).length === 1;
    case 'Sequence':
      return post?.processors?.every(framesOnly) ?? false;
    default:
      return false;
  }
}

function isEmpty(normalizer: Stage | null | undefined): boolean {
  if (!normalizer) return true;
  return normalizer.type === 'Sequence' && (normalizer.normalizers?.every(isEmpty) ?? false);
}

/**
 * Whether every occurrence of a token in a text is that token: no other token overlaps it, contains it or is within it.
 * So the search for tokens cannot take it for a part of another.
 */
function separable(tokens: readonly string[]): (token: string) => boolean {
  const known = new Set(tokens);
  const heads = new Set<string>();
  const tails = new Set<string>();
  for (const token of known)
    for (let at = 1; at < token.length; at++) {
      heads.add(token.slice(0, at));
      tails.add(token.slice(at));
    }
  const list = [...known];
  return (token) => {
    for (let at = 1; at < token.length; at++) {
      if (tails.has(token.slice(0, at)) || heads.has(token.slice(at))) return false;
      for (let end = at; end <= token.length; end++) if (known.has(token.slice(at, end))) return false;
      if (known.has(token.slice(0, at))) return false;
    }
    return !list.some((other) => other !== token && other.includes(token));
  };
}

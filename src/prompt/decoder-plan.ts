import type { TokenTable } from '../tokenizer.ts';
import { AssetError } from './asset-error.ts';

/** What the decoder of a tokenizer.json does, sorted by where it can be done: per token, or on the whole text. */
export interface DecoderPlan {
  /** Changes the text of a token, inside a text or as its first. */
  readonly changes: readonly ((token: string, first: boolean) => string)[];
  /** Whether a token is treated differently where it is the first. */
  readonly firstDiffers: boolean;
  /** How the text of a token is written down in bytes. */
  readonly writing: 'text' | 'byte-level' | 'byte-fallback';
  readonly strip?: TokenTable['strip'];
}

/** A step as tokenizer.json has it; the native package has already checked the fields. */
type Step = { readonly type?: string } & Readonly<Record<string, unknown>>;

/** What WordPiece does to each token when it cleans up, in this order. */
const cleanings: readonly (readonly [string, string])[] = [
  [' .', '.'],
  [' ?', '?'],
  [' !', '!'],
  [' ,', ','],
  [" ' ", "'"],
  [" n't", "n't"],
  [" 'm", "'m"],
  [' do not', " don't"],
  [" 's", "'s"],
  [" 've", "'ve"],
  [" 're", "'re"],
];

/** Reads the decoder. Throws an AssetError that names the step which cannot be followed token by token. */
export function planDecoder(decoder: unknown): DecoderPlan {
  // Without a decoder the native package puts a space between all tokens.
  if (decoder === null || decoder === undefined) return { changes: [spaced], firstDiffers: true, writing: 'text' };
  const changes: DecoderPlan['changes'][number][] = [];
  let firstDiffers = false;
  let writing: DecoderPlan['writing'] = 'text';
  let strip: DecoderPlan['strip'];
  /** What the steps so far have made of the tokens: still texts, runs of bytes among them, or one whole text. */
  let made: 'tokens' | 'runs' | 'whole' = 'tokens';
  for (const step of stepsOf(decoder)) {
    const type = step.type ?? 'without a type';
    // The step needs single tokens, which no longer exist once they are joined.
    const onTokens = (): void => {
      if (made !== 'tokens')
        throw unsupported(type, made === 'whole' ? 'after Fuse or ByteLevel' : 'after ByteFallback');
    };
    if (type === 'Fuse') {
      made = 'whole';
    } else if (type === 'ByteLevel' || type === 'ByteFallback') {
      onTokens();
      if (firstDiffers) throw unsupported(type, 'after a step that treats the first token differently');
      writing = type === 'ByteLevel' ? 'byte-level' : 'byte-fallback';
      made = type === 'ByteLevel' ? 'whole' : 'runs';
    } else if (type === 'Strip' && made === 'whole') {
      if (strip !== undefined) throw unsupported(type, 'a second time');
      strip = strippingOf(step);
    } else {
      onTokens();
      const change = changeOf(type, step);
      firstDiffers ||= change.firstDiffers;
      changes.push(change.apply);
    }
  }
  return { changes, firstDiffers, writing, ...(strip === undefined ? {} : { strip }) };
}

function stepsOf(decoder: unknown): readonly Step[] {
  const step = decoder as Step;
  return step.type === 'Sequence' ? (step['decoders'] as unknown[]).flatMap(stepsOf) : [step];
}

function changeOf(type: string, step: Step): { apply: DecoderPlan['changes'][number]; firstDiffers: boolean } {
  switch (type) {
    case 'Replace': {
      const pattern = (step['pattern'] as { String?: string }).String;
      if (pattern === undefined || pattern === '') throw unsupported(type, 'with a regular expression');
      return { apply: (token) => token.replaceAll(pattern, () => step['content'] as string), firstDiffers: false };
    }
    case 'Strip': {
      const { character, most } = strippingOf(step);
      return { apply: (token) => withoutFirst(token, character, most), firstDiffers: false };
    }
    case 'Metaspace': {
      const replacement = step['replacement'] as string;
      const firstDiffers = step['prepend_scheme'] !== 'never';
      return { apply: (token, first) => token.replaceAll(replacement, first && firstDiffers ? '' : ' '), firstDiffers };
    }
    case 'WordPiece':
      return { apply: wordPiece(step['prefix'] as string, step['cleanup'] === true), firstDiffers: true };
    default:
      throw unsupported(type);
  }
}

function spaced(token: string, first: boolean): string {
  return first ? token : ` ${token}`;
}

function wordPiece(prefix: string, cleans: boolean): DecoderPlan['changes'][number] {
  return (token, first) => {
    const text = !first && token.startsWith(prefix) ? token.slice(prefix.length) : spaced(token, first);
    return cleans ? cleanings.reduce((cleaned, [from, to]) => cleaned.replaceAll(from, to), text) : text;
  };
}

function strippingOf(step: Step): NonNullable<DecoderPlan['strip']> {
  if (step['stop'] !== 0) throw unsupported('Strip', 'at the end of a text');
  return { character: step['content'] as string, most: step['start'] as number };
}

/** The text without this character at its beginning, at most `most` times. */
function withoutFirst(text: string, character: string, most: number): string {
  let at = 0;
  for (let count = 0; count < most && text.startsWith(character, at); count++) at += character.length;
  return text.slice(at);
}

function unsupported(type: string, where?: string): AssetError {
  return new AssetError(`The decoder step ${type}${where === undefined ? '' : ` ${where}`} is not supported.`);
}

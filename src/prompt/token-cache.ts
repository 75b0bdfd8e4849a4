import type { Tokenizer } from 'tokenizers';
import { cutTokens } from './cut-tokens.ts';
import { SegmentEncoder } from './segment-encoder.ts';
import { SegmentStore } from './segment-store.ts';
import { parseOutline } from './tokenizer-outline.ts';

/** Bytes for the check of a tokenizer that was just loaded. */
const checkSize = 2 ** 20;

/**
 * Reads from its tokenizer.json whether texts may be cut for this tokenizer, and gives what encodes them in segments.
 * Undefined where they may not.
 */
export async function segmentEncoder(
  json: Uint8Array,
  tokenizer: Tokenizer,
  store: SegmentStore,
): Promise<SegmentEncoder | undefined> {
  const cuts = new Map<string, number>();
  for (const token of cutTokens(parseOutline(json))) {
    const id = tokenizer.tokenToId(token);
    if (id !== null) cuts.set(token, id);
  }
  if (cuts.size === 0) return undefined;
  const encode = async (text: string): Promise<number[]> =>
    (await tokenizer.encode(text, null, { addSpecialTokens: false })).getIds();
  const check = new SegmentStore();
  check.limit = checkSize;
  const isExact = await agrees(new SegmentEncoder({ cuts, encode, store: check }), encode, [...cuts.keys()]);
  return isExact ? new SegmentEncoder({ cuts, encode, store }) : undefined;
}

/** Whether segments have the ids of the whole, for texts in which every cut meets letters, spaces, and other cuts. */
async function agrees(
  encoder: SegmentEncoder,
  encode: (text: string) => Promise<number[]>,
  cuts: readonly string[],
): Promise<boolean> {
  const around = cuts.map((cut) => `${cut}a b${cut} c \n${cut}${cut}\n\n é${cut}`).join('');
  for (const text of [`a ${around}`, `${around} d`, `${around}d`, ` ${around}`]) {
    const found = await encoder.encode(text);
    const whole = await encode(text);
    const ids = found?.parts.flatMap((part) => [...part]);
    if (ids?.length !== whole.length || !whole.every((id, at) => id === ids[at])) return false;
  }
  return true;
}

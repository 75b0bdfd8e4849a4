import { isUtf8 } from 'node:buffer';
import { type TokenBytes, type TokenTable, tokenKind } from '../tokenizer.ts';
import { type DecoderPlan, planDecoder } from './decoder-plan.ts';

/** The parts of tokenizer.json that decoding depends on; the native package has already checked them. */
interface Definition {
  readonly added_tokens?: readonly { readonly content: string; readonly special: boolean }[];
  readonly decoder?: unknown;
  readonly model: { readonly vocab: Readonly<Record<string, number>> | readonly (readonly [string, number])[] };
}

/**
 * Makes the table from a parsed tokenizer.json. The ids of added tokens come from `idOf`, since the native package assigns
 * them. Throws an AssetError where a table cannot represent the decoder.
 */
export function buildTokenTable(definition: unknown, idOf: (token: string) => number | null): TokenTable {
  const { added_tokens: added = [], decoder, model } = definition as Definition;
  const plan = planDecoder(decoder);
  const tokens = tokensOf(model.vocab);
  for (const { content } of added) {
    const id = content === '' ? null : idOf(content);
    // The content as it is written, not what the normalizer makes of it: `tokenizers` 0.23 decodes the normalized
    // text, which puts Llama-2's space before `</s>` and then no longer recognizes it as a special token.
    if (id !== null) tokens[id] = content;
  }
  const special = new Set(added.filter((token) => token.special).map(({ content }) => content));
  const kinds = Uint8Array.from(tokens, (token) => {
    if (token === undefined) return tokenKind.absent;
    return special.has(token) ? tokenKind.special : 0;
  });
  return {
    kinds,
    inside: write(tokens, { plan, first: false, kinds }),
    ...(plan.firstDiffers ? { first: write(tokens, { plan, first: true, kinds }) } : {}),
    ...(plan.strip === undefined ? {} : { strip: plan.strip }),
  };
}

/** The memory of a table, to transfer to another thread. */
export function buffersOfTable({ kinds, inside, first }: TokenTable): ArrayBuffer[] {
  const arrays = [kinds, inside.bytes, inside.offsets, ...(first === undefined ? [] : [first.bytes, first.offsets])];
  return arrays.map(({ buffer }) => buffer as ArrayBuffer);
}

/** The tokens by id; ids without a token are undefined. */
function tokensOf(vocabulary: Definition['model']['vocab']): (string | undefined)[] {
  if (Array.isArray(vocabulary)) return vocabulary.map(([token]) => token);
  const tokens: (string | undefined)[] = [];
  for (const [token, id] of Object.entries(vocabulary)) tokens[id] = token;
  return tokens;
}

interface WriteOptions {
  readonly plan: DecoderPlan;
  readonly first: boolean;
  /** Tokens that are bytes or parts are marked here. */
  readonly kinds: Uint8Array;
}

function write(tokens: readonly (string | undefined)[], { plan, first, kinds }: WriteOptions): TokenBytes {
  const offsets = new Uint32Array(tokens.length + 1);
  const written: Uint8Array[] = [];
  let end = 0;
  for (let id = 0; id < tokens.length; id++) {
    let text = tokens[id] ?? '';
    if (tokens[id] !== undefined) for (const change of plan.changes) text = change(text, first);
    const { bytes, kind } = bytesOf(text, plan.writing);
    kinds[id] = (kinds[id] as number) | kind;
    written.push(bytes);
    end += bytes.length;
    offsets[id + 1] = end;
  }
  const bytes = new Uint8Array(end);
  for (const [id, part] of written.entries()) bytes.set(part, offsets[id]);
  return { bytes, offsets };
}

const encoder = new TextEncoder();

function bytesOf(text: string, writing: DecoderPlan['writing']): { bytes: Uint8Array; kind: number } {
  switch (writing) {
    case 'text':
      return { bytes: encoder.encode(text), kind: 0 };
    case 'byte-fallback': {
      // A sign before one digit is what Rust's number parser takes as well.
      const digits = /^<0x(\+[\da-f]|[\da-f]{2})>$/i.exec(text)?.[1];
      if (digits === undefined) return { bytes: encoder.encode(text), kind: 0 };
      return { bytes: Uint8Array.of(Number.parseInt(digits, 16)), kind: tokenKind.byte };
    }
    case 'byte-level': {
      const bytes = byteLevel(text) ?? encoder.encode(text);
      // A token without bytes does not end a character that its neighbours share.
      return { bytes, kind: bytes.length > 0 && isUtf8(bytes) ? 0 : tokenKind.part };
    }
  }
}

/** The bytes that byte-level BPE spells with characters, or undefined where one of them spells none. */
function byteLevel(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const byte = spelledBytes.get(text.charCodeAt(at));
    if (byte === undefined) return undefined;
    bytes[at] = byte;
  }
  return bytes;
}

/** GPT-2's alphabet: printable bytes are themselves, the others are counted up from U+0100. */
const spelledBytes = new Map<number, number>();
for (let byte = 0, next = 0x100; byte < 0x100; byte++) {
  const printable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
  spelledBytes.set(printable ? byte : next++, byte);
}

import type { SegmentStore, SegmentTable } from './segment-store.ts';

interface EncoderOptions {
  /** Tokens behind which every text may be cut, each with its id. */
  readonly cuts: ReadonlyMap<string, number>;
  /** The ids of a text, without those that frame it. */
  readonly encode: (text: string) => Promise<readonly number[]>;
  readonly store: SegmentStore;
}

/** The ids of a text in parts, and how many of them were stored before. */
export interface EncodedSegments {
  readonly parts: readonly Int32Array[];
  readonly length: number;
  readonly reused: number;
}

/** A piece of a text that ends with the token it is cut behind; the last one of a text may have none. */
interface Segment {
  readonly text: string;
  readonly cut: string | undefined;
}

/** Segments that follow each other and are encoded together. */
interface Run {
  readonly from: number;
  to: number;
}

/** A text with more cuts than this is encoded as a whole: no conversation has as many. */
const mostSegments = 16_384;
/** Characters between two runs from which on they are encoded apart: each call of the tokenizer has a price. */
const widestGap = 1024;

/**
 * Tokenizes a text in segments and remembers their tokens, so that of a growing conversation only what is new is
 * tokenized. The tokens of a segment depend on nothing but its text and whether it begins the whole.
 */
export class SegmentEncoder {
  readonly #cuts: ReadonlyMap<string, number>;
  readonly #cutIds: ReadonlySet<number>;
  readonly #encode: EncoderOptions['encode'];
  readonly #pattern: RegExp;
  readonly #first: SegmentTable;
  readonly #inner: SegmentTable;

  constructor({ cuts, encode, store }: EncoderOptions) {
    this.#cuts = cuts;
    this.#cutIds = new Set(cuts.values());
    this.#encode = encode;
    this.#pattern = new RegExp(
      [...cuts.keys()].map((cut) => cut.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')).join('|'),
      'g',
    );
    this.#first = store.table();
    this.#inner = store.table();
  }

  /** Undefined where the text must be tokenized as a whole. */
  async encode(text: string): Promise<EncodedSegments | undefined> {
    const segments = this.#segments(text);
    if (segments === undefined) return undefined;
    const parts = segments.map((segment, at) => this.#table(at).get(segment.text));
    const runs = runsOf(segments, parts);
    let length = 0;
    for (const { from, to } of runs) parts.fill(undefined, from, to);
    for (const part of parts) length += part?.length ?? 0;
    const reused = length;
    for (const run of runs) {
      const encoded = await this.#encodeRun(segments, run);
      if (encoded === undefined) return undefined;
      for (const [at, part] of encoded.entries()) {
        parts[run.from + at] = part;
        length += part.length;
      }
    }
    return { parts: parts as Int32Array[], length, reused };
  }

  #table(at: number): SegmentTable {
    return at === 0 ? this.#first : this.#inner;
  }

  /** Undefined where there is nothing to cut, or too much. */
  #segments(text: string): Segment[] | undefined {
    const segments: Segment[] = [];
    let start = 0;
    for (const { 0: cut, index } of text.matchAll(this.#pattern)) {
      if (segments.length === mostSegments) return undefined;
      const end = index + cut.length;
      segments.push({ text: text.slice(start, end), cut });
      start = end;
    }
    if (segments.length === 0) return undefined;
    if (start < text.length) segments.push({ text: text.slice(start), cut: undefined });
    return segments;
  }

  /**
   * Encodes segments behind the token that is before them, so that they are not taken for the beginning of a text.
   * Undefined where the ids do not show where each segment ends.
   */
  async #encodeRun(segments: readonly Segment[], { from, to }: Run): Promise<Int32Array[] | undefined> {
    const before = segments[from - 1]?.cut;
    const within = segments.slice(from, to);
    const ids = await this.#encode((before ?? '') + within.map(({ text }) => text).join(''));
    const start = before === undefined ? 0 : 1;
    if (before !== undefined && ids[0] !== this.#cuts.get(before)) return undefined;
    const ends: number[] = [];
    for (let at = start; at < ids.length; at++) if (this.#cutIds.has(ids[at] ?? -1)) ends.push(at + 1);
    if (within.at(-1)?.cut === undefined) ends.push(ids.length);
    if (ends.length !== within.length || ends.at(-1) !== ids.length) return undefined;
    const parts = ends.map((end, at) => Int32Array.from(ids.slice(ends[at - 1] ?? start, end)));
    if (!within.every(({ cut }, at) => cut === undefined || parts[at]?.at(-1) === this.#cuts.get(cut)))
      return undefined;
    for (const [at, part] of parts.entries()) {
      const { text = '', cut } = within[at] ?? {};
      if (cut !== undefined) this.#table(from + at).set(text, part);
    }
    return parts;
  }
}

/** What must be encoded: the segments without ids, and short ones between them. */
function runsOf(segments: readonly Segment[], parts: readonly (Int32Array | undefined)[]): Run[] {
  const runs: Run[] = [];
  let gap = 0;
  for (const [at, { text }] of segments.entries()) {
    if (parts[at] !== undefined) {
      gap += text.length;
      continue;
    }
    const last = runs.at(-1);
    if (last !== undefined && gap < widestGap) last.to = at + 1;
    else runs.push({ from: at, to: at + 1 });
    gap = 0;
  }
  return runs;
}

/** Memory of an entry beside its text and its ids. */
const entryOverhead = 256;
/** The part of the store that one entry may take: a huge text must not drive out all others. */
const largestShare = 1 / 8;

interface Entry {
  readonly owner: Map<string, Entry>;
  readonly text: string;
  readonly ids: Int32Array;
  readonly bytes: number;
  newer: Entry | undefined;
  older: Entry | undefined;
}

/** The tokens of texts, up to a number of bytes for all tables together: those unused for longest are dropped first. */
export class SegmentStore {
  #limit = 0;
  #bytes = 0;
  #newest: Entry | undefined;
  #oldest: Entry | undefined;

  /** Bytes of all that is stored. */
  get bytes(): number {
    return this.#bytes;
  }

  get limit(): number {
    return this.#limit;
  }

  set limit(bytes: number) {
    this.#limit = bytes;
    this.#shrink();
  }

  /** A table of its own, for texts that another tokenizer or another place in a prompt gives other tokens. */
  table(): SegmentTable {
    const entries = new Map<string, Entry>();
    return {
      get: (text) => {
        const entry = entries.get(text);
        if (entry === undefined) return undefined;
        this.#unlink(entry);
        this.#link(entry);
        return entry.ids;
      },
      set: (text, ids) => this.#set(entries, text, ids),
    };
  }

  #set(owner: Map<string, Entry>, text: string, ids: Int32Array): void {
    if (owner.has(text)) return;
    const { copy, width } = copyOf(text);
    const bytes = entryOverhead + width * text.length + ids.byteLength;
    if (bytes > this.#limit * largestShare) return;
    const entry: Entry = { owner, text: copy, ids, bytes, newer: undefined, older: undefined };
    owner.set(copy, entry);
    this.#link(entry);
    this.#bytes += bytes;
    this.#shrink();
  }

  #shrink(): void {
    while (this.#oldest !== undefined && this.#bytes > this.#limit) {
      const entry = this.#oldest;
      this.#unlink(entry);
      entry.owner.delete(entry.text);
      this.#bytes -= entry.bytes;
    }
  }

  #link(entry: Entry): void {
    entry.older = this.#newest;
    if (this.#newest) this.#newest.newer = entry;
    this.#newest = entry;
    this.#oldest ??= entry;
  }

  #unlink(entry: Entry): void {
    if (entry.newer) entry.newer.older = entry.older;
    else this.#newest = entry.older;
    if (entry.older) entry.older.newer = entry.newer;
    else this.#oldest = entry.newer;
    entry.newer = undefined;
    entry.older = undefined;
  }
}

/** The tokens of some texts. */
export interface SegmentTable {
  get(text: string): Int32Array | undefined;
  set(text: string, ids: Int32Array): void;
}

/** A text with memory of its own, since a part of a string keeps the whole in memory; and the bytes of a character. */
function copyOf(text: string): { copy: string; width: number } {
  const narrow = Buffer.from(text, 'latin1').toString('latin1');
  if (narrow === text) return { copy: narrow, width: 1 };
  return { copy: Buffer.from(text, 'utf16le').toString('utf16le'), width: 2 };
}

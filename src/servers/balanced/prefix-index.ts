/** Characters and tokens of one block. */
const textBlock = 128;
const tokenBlock = 32;

/** How many blocks of a prompt count: the rest goes to the server of its first blocks. */
const mostBlocks = 256;

/** How many servers are remembered for a block. */
const mostHolders = 4;

/**
 * Which servers have seen which prompt prefixes. A prompt is cut into blocks, each identified by a hash of itself and
 * all blocks before it. The least recently used blocks are forgotten first.
 */
export class PrefixIndex<Holder extends object> {
  readonly #capacity: number;
  readonly #blocks = new Map<number, Holder[]>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#blocks.size;
  }

  /** The candidates that have seen most of the prompt, at least half of its blocks; otherwise none. */
  holdersOf(blocks: readonly number[], candidates: readonly Holder[]): Holder[] {
    for (let at = blocks.length - 1; at >= 0 && (at + 1) * 2 >= blocks.length; at--) {
      const known = this.#blocks.get(blocks[at] as number);
      const holders = known?.filter((holder) => candidates.includes(holder)) ?? [];
      if (holders.length > 0) return holders;
    }
    return [];
  }

  /** Notes that a prompt goes to a server. */
  remember(blocks: readonly number[], holder: Holder): void {
    // The first block is the most recent one, so that a prompt loses its end before its start.
    for (let at = blocks.length - 1; at >= 0; at--) {
      const block = blocks[at] as number;
      const known = this.#blocks.get(block);
      this.#blocks.delete(block);
      this.#blocks.set(block, [holder, ...(known ?? []).filter((other) => other !== holder)].slice(0, mostHolders));
    }
    for (const block of this.#blocks.keys()) {
      if (this.#blocks.size <= this.#capacity) break;
      this.#blocks.delete(block);
    }
  }

  /** Forgets a server whose cache was lost. */
  forget(holder: Holder): void {
    for (const [block, holders] of this.#blocks) {
      if (!holders.includes(holder)) continue;
      const others = holders.filter((other) => other !== holder);
      if (others.length === 0) this.#blocks.delete(block);
      else this.#blocks.set(block, others);
    }
  }
}

/** The hashes of a prompt's whole blocks, for one model. The rest is left out. */
export function blocksOf(model: string, prompt: string | Int32Array): number[] {
  const isText = typeof prompt === 'string';
  const length = isText ? textBlock : tokenBlock;
  const count = Math.min(mostBlocks, Math.floor(prompt.length / length));
  const blocks: number[] = [];
  let hash = 0x811c9dc5;
  for (let at = 0; at < model.length; at++) hash = mixed(hash, model.charCodeAt(at));
  for (let block = 0; block < count; block++) {
    const end = (block + 1) * length;
    for (let at = block * length; at < end; at++)
      hash = mixed(hash, isText ? prompt.charCodeAt(at) : (prompt[at] as number));
    blocks.push(hash);
  }
  return blocks;
}

/** One step of a hash like FNV-1a, with the upper bits mixed in: tokens have more than eight. */
function mixed(hash: number, value: number): number {
  const next = Math.imul(hash ^ value, 0x01000193);
  return (next ^ (next >>> 15)) >>> 0;
}

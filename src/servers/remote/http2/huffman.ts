/**
 * The code length in bits of each of the 256 bytes and of the end symbol (RFC 7541, appendix B). The code is canonical:
 * shorter codes come first, codes of equal length in the order of their bytes, so the lengths define it.
 */
const lengths = `
  13 23 28 28 28 28 28 28 28 24 30 28 28 30 28 28  28 28 28 28 28 28 30 28 28 28 28 28 28 28 28 28
   6 10 10 12 13  6  8 11 10 10  8 11  8  6  6  6   5  5  5  6  6  6  6  6  6  6  7  8 15  6 12 10
  13  6  7  7  7  7  7  7  7  7  7  7  7  7  7  7   7  7  7  7  7  7  7  7  8  7  8 13 19 13 14  6
  15  5  6  5  6  5  6  6  6  5  7  7  6  6  6  5   6  7  6  5  5  6  7  7  7  7  7 15 11 14 13 28
  20 22 20 20 22 22 22 23 22 23 23 23 23 23 24 23  24 24 22 23 24 23 23 23 23 21 22 23 22 23 23 24
  22 21 20 22 22 23 23 21 23 22 22 24 21 22 23 23  21 21 22 21 23 22 23 23 20 22 22 22 23 22 22 23
  26 26 20 19 22 23 22 25 26 26 26 27 27 26 24 25  19 21 26 27 27 26 27 24 21 21 26 26 28 27 27 27
  20 24 20 21 22 21 21 23 22 22 25 25 24 24 26 23  26 27 26 26 27 27 27 27 27 28 27 27 27 27 27 26
  30`
  .trim()
  .split(/\s+/)
  .map(Number);

const endOfText = 256;

/** The tree of the code: two entries per node. A negative entry is a byte, as -byte - 1. */
const tree = buildTree();

function buildTree(): Int16Array {
  const nodes = new Int16Array(1024);
  let nodeCount = 1;
  let code = 0;
  let codeLength = 0;
  const symbols = [...lengths.keys()].toSorted((a, b) => lengthOf(a) - lengthOf(b) || a - b);
  for (const symbol of symbols) {
    code <<= lengthOf(symbol) - codeLength;
    codeLength = lengthOf(symbol);
    let node = 0;
    for (let bit = codeLength - 1; bit > 0; bit--) {
      const index = node * 2 + ((code >> bit) & 1);
      if (nodes[index] === 0) nodes[index] = nodeCount++;
      node = nodes[index] as number;
    }
    nodes[node * 2 + (code & 1)] = -symbol - 1;
    code++;
  }
  return nodes;
}

function lengthOf(symbol: number): number {
  return lengths[symbol] as number;
}

/** Decodes a Huffman-coded text, one character per byte; undefined if the code is invalid. */
export function unhuffman(bytes: Buffer, from: number, to: number): string | undefined {
  const decoded = Buffer.allocUnsafe(Math.ceil(((to - from) * 8) / 5));
  let count = 0;
  let node = 0;
  let bitsSince = 0;
  let areOnes = true;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    for (let bit = 7; bit >= 0; bit--) {
      const one = (byte >> bit) & 1;
      const next = tree[node * 2 + one] as number;
      bitsSince++;
      areOnes &&= one === 1;
      if (next >= 0) {
        node = next;
        continue;
      }
      if (next === -endOfText - 1) return undefined;
      decoded[count++] = -next - 1;
      node = 0;
      bitsSince = 0;
      areOnes = true;
    }
  }
  // The padding is the start of the end symbol: only ones, and less than a byte.
  return bitsSince < 8 && areOnes ? decoded.toString('latin1', 0, count) : undefined;
}

import { staticTable } from './static-table.ts';

const numbers = new Map(staticTable.map(([name, value], at) => [`${name}\0${value}`, at + 1] as const).toReversed());
const nameNumbers = new Map(staticTable.map(([name], at) => [name, at + 1] as const).toReversed());

/** Encodes a header that is not added to the table. */
export function encodeHeader(name: string, value: string): Buffer {
  const known = numbers.get(`${name}\0${value}`);
  if (known !== undefined) return Buffer.from([0x80 | known]);
  const nameNumber = nameNumbers.get(name);
  // An unknown name is written as text after a zero.
  const head = nameNumber === undefined ? [Buffer.from([0]), text(name)] : [integer(0, 4, nameNumber)];
  return Buffer.concat([...head, text(value)]);
}

function text(value: string): Buffer {
  return Buffer.concat([integer(0, 7, value.length), Buffer.from(value, 'latin1')]);
}

/** An integer with a prefix of this many bits in the first byte (RFC 7541, 5.1). */
function integer(flags: number, prefix: number, value: number): Buffer {
  const most = 2 ** prefix - 1;
  if (value < most) return Buffer.from([flags | value]);
  const bytes = [flags | most];
  let rest = value - most;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

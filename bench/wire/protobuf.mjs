/** Just enough of the protobuf wire format for the messages that the benchmark speaks. */

/** @param {number} value a whole number below 2^53, or -1 */
function varint(value) {
  if (value < 0) return Buffer.from('ffffffffffffffffff01', 'hex');
  const bytes = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

/**
 * A field of wire type 2: a text, bytes, or an inner message given as its fields.
 * @param {number} number
 * @param {string | Buffer | Buffer[]} value
 */
export function field(number, value) {
  const bytes = Array.isArray(value) ? Buffer.concat(value) : Buffer.from(value);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

/**
 * A field of wire type 0: bool, enum or integer.
 * @param {number} number
 * @param {number | boolean} value
 */
export function integer(number, value) {
  return Buffer.concat([varint(number * 8), varint(Number(value))]);
}

/**
 * A packed list of integers.
 * @param {number} number
 * @param {number[]} values
 */
export function integers(number, values) {
  return field(number, values.map(varint));
}

/**
 * The fields of a message, in order. Length-delimited values come as bytes, varints as numbers (exact to 2^53).
 * @param {Buffer} message
 * @returns {{ number: number, value: Buffer | number }[]}
 */
export function fields(message) {
  let at = 0;
  const next = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = message.readUInt8(at++);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  const found = [];
  while (at < message.length) {
    const key = next();
    const wireType = key & 7;
    if (wireType === 0) {
      found.push({ number: key >>> 3, value: next() });
      continue;
    }
    const length = wireType === 2 ? next() : wireType === 1 ? 8 : 4;
    if (at + length > message.length) throw new Error('a protobuf message ends inside a field');
    found.push({ number: key >>> 3, value: message.subarray(at, at + length) });
    at += length;
  }
  return found;
}

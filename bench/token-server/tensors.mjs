/** The bytes of tensors. */

/** What every model of the token server is called. */
export const MODEL = 'bench';

/** Stands in a response where its token will be. */
export const PLACEHOLDER = Buffer.from([1, 2, 3, 4]);

/** @param {number} value */
export function uint32(value) {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** A BOOL tensor of one element. */
export const YES = Buffer.from([1]);

/** @param {string | Buffer} text */
export const bytesTensor = (text) => Buffer.concat([uint32(Buffer.byteLength(text)), Buffer.from(text)]);

/** @param {Buffer | undefined} raw a BYTES tensor of one element */
export const textOf = (raw) => (raw === undefined ? undefined : raw.toString('utf8', 4));

/** The datatypes of the v2 protocol, by their names on the wire. */
export type Datatype =
  | 'BOOL'
  | 'UINT8'
  | 'UINT16'
  | 'UINT32'
  | 'UINT64'
  | 'INT8'
  | 'INT16'
  | 'INT32'
  | 'INT64'
  | 'FP16'
  | 'FP32'
  | 'FP64'
  | 'BYTES'
  | 'BF16';

/** A tensor in the raw form that both directions of the protocol share: row-major, little-endian, BYTES length-prefixed. */
export interface Tensor {
  readonly name: string;
  readonly datatype: Datatype;
  readonly shape: readonly number[];
  readonly data: Buffer;
}

/** A BYTES tensor of texts; its shape is [texts.length] unless another one is given. */
export function textTensor(name: string, texts: readonly string[], shape: readonly number[] = [texts.length]): Tensor {
  let size = 0;
  const lengths = texts.map((text) => Buffer.byteLength(text));
  for (const length of lengths) size += 4 + length;
  const data = Buffer.allocUnsafe(size);
  let at = 0;
  texts.forEach((text, index) => {
    at = data.writeUInt32LE(lengths[index] as number, at);
    at += data.write(text, at);
  });
  return { name, datatype: 'BYTES', shape, data };
}

/** A BOOL tensor of one element. */
export function boolTensor(name: string, value: boolean, shape: readonly number[] = [1]): Tensor {
  return { name, datatype: 'BOOL', shape, data: Buffer.of(value ? 1 : 0) };
}

/** The elements of a BYTES tensor as texts. */
export function readTexts(data: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < data.length; ) {
    const length = data.readUInt32LE(at);
    texts.push(data.toString('utf8', at + 4, at + 4 + length));
    at += 4 + length;
  }
  return texts;
}

/** The first element of a BYTES tensor; an empty tensor reads as the empty text. */
export function readText(data: Buffer): string {
  if (data.length < 4) return '';
  return data.toString('utf8', 4, 4 + data.readUInt32LE(0));
}

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

/** A tensor with raw data, as in both directions of the protocol: row-major, little-endian, BYTES length-prefixed. */
export interface Tensor {
  readonly name: string;
  readonly datatype: Datatype;
  readonly shape: readonly number[];
  readonly data: Buffer;
}

/** A BYTES tensor of texts; the default shape is [texts.length]. */
export function textTensor(name: string, texts: readonly string[], shape: readonly number[] = [texts.length]): Tensor {
  let size = 0;
  for (const text of texts) size += 4 + Buffer.byteLength(text);
  const data = Buffer.allocUnsafe(size);
  let at = 0;
  for (const text of texts) {
    const length = data.write(text, at + 4);
    data.writeUInt32LE(length, at);
    at += 4 + length;
  }
  return { name, datatype: 'BYTES', shape, data };
}

/** A BYTES tensor of files. */
export function bytesTensor(name: string, files: readonly Uint8Array[]): Tensor {
  const parts: Uint8Array[] = [];
  for (const file of files) {
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32LE(file.length);
    parts.push(length, file);
  }
  return { name, datatype: 'BYTES', shape: [files.length], data: Buffer.concat(parts) };
}

/** A BOOL tensor of one element. */
export function boolTensor(name: string, value: boolean, shape: readonly number[] = [1]): Tensor {
  return { name, datatype: 'BOOL', shape, data: value ? yes : no };
}

/** Shared by all tensors: their data is never changed. */
const yes = Buffer.of(1);
const no = Buffer.of(0);

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

/** How a number is encoded in a tensor. */
interface NumberEncoding {
  readonly size: number;
  write(view: DataView, at: number, value: number): void;
  read(view: DataView, at: number): number;
}

/** The supported numeric datatypes. 64-bit integers past 2^53 lose their last digits when read. */
const numberEncodings = {
  INT32: {
    size: 4,
    write: (view, at, value) => view.setInt32(at, value, true),
    read: (view, at) => view.getInt32(at, true),
  },
  UINT32: {
    size: 4,
    write: (view, at, value) => view.setUint32(at, value, true),
    read: (view, at) => view.getUint32(at, true),
  },
  INT64: {
    size: 8,
    write: (view, at, value) => view.setBigInt64(at, BigInt(value), true),
    read: (view, at) => Number(view.getBigInt64(at, true)),
  },
  UINT64: {
    size: 8,
    // A negative number keeps its bits: any number is a valid seed.
    write: (view, at, value) => view.setBigUint64(at, BigInt(value), true),
    read: (view, at) => Number(view.getBigUint64(at, true)),
  },
  FP32: {
    size: 4,
    write: (view, at, value) => view.setFloat32(at, value, true),
    read: (view, at) => view.getFloat32(at, true),
  },
  FP64: {
    size: 8,
    write: (view, at, value) => view.setFloat64(at, value, true),
    read: (view, at) => view.getFloat64(at, true),
  },
} as const satisfies Partial<Record<Datatype, NumberEncoding>>;

export type NumberDatatype = keyof typeof numberEncodings;

export function isNumberDatatype(datatype: string): datatype is NumberDatatype {
  return Object.hasOwn(numberEncodings, datatype);
}

/** Numbers of one datatype, before they are a tensor. */
interface Numbers {
  readonly datatype: NumberDatatype;
  readonly values: ArrayLike<number>;
  readonly shape: readonly number[];
}

export function numberTensor(name: string, { datatype, values, shape }: Numbers): Tensor {
  const { size, write } = numberEncodings[datatype];
  const data = Buffer.allocUnsafe(values.length * size);
  const view = viewOf(data);
  for (let index = 0; index < values.length; index++) write(view, index * size, values[index] as number);
  return { name, datatype, shape, data };
}

/** The first number of an output, whatever its datatype: some models send numbers as texts. */
export function readNumber(data: Buffer, datatype: Datatype): number | undefined {
  if (datatype === 'BYTES') {
    const text = readText(data).trim();
    const value = text === '' ? Number.NaN : Number(text);
    return Number.isNaN(value) ? undefined : value;
  }
  if (!isNumberDatatype(datatype)) return undefined;
  const { size, read } = numberEncodings[datatype];
  return data.length < size ? undefined : read(viewOf(data), 0);
}

/** The elements of a floating-point tensor; undefined for other datatypes. */
export function readFloats(data: Buffer, datatype: Datatype): Float32Array | undefined {
  const size = floatSizes[datatype];
  if (size === undefined) return undefined;
  const view = viewOf(data);
  const count = Math.floor(data.length / size);
  const floats = new Float32Array(count);
  if (datatype === 'FP32') for (let index = 0; index < count; index++) floats[index] = view.getFloat32(index * 4, true);
  else if (datatype === 'FP16')
    for (let index = 0; index < count; index++) floats[index] = halfToNumber(view.getUint16(index * 2, true));
  else {
    // A BF16 is the upper half of an FP32.
    const bits = new Uint32Array(floats.buffer);
    for (let index = 0; index < count; index++) bits[index] = view.getUint16(index * 2, true) << 16;
  }
  return floats;
}

/** The bytes of one element of the floating-point datatypes that models give likelihoods in. */
export const floatSizes: Readonly<Partial<Record<Datatype, number>>> = { FP32: 4, FP16: 2, BF16: 2 };

function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function viewOf(data: Buffer): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}

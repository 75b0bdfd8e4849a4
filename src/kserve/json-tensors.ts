import {
  asBoolean,
  asNumber,
  asSigned,
  asString,
  asUnsigned,
  isArray,
  type JsonValue,
  prefixed,
} from './json-value.ts';
import { quoteJson, writeDouble } from './json-write.ts';
import { StatusError } from './status.ts';

/** Bytes per element; BYTES has no fixed size. */
export const elementSizes: Readonly<Record<string, number>> = {
  BOOL: 1,
  UINT8: 1,
  INT8: 1,
  UINT16: 2,
  INT16: 2,
  FP16: 2,
  BF16: 2,
  UINT32: 4,
  INT32: 4,
  FP32: 4,
  UINT64: 8,
  INT64: 8,
  FP64: 8,
};

/** The number of elements of a tensor of this shape. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((count, dimension) => count * dimension, 1);
}

/** A JSON tensor to convert to raw bytes. */
interface JsonTensor {
  readonly name: string;
  readonly datatype: string;
  /** One value, or arrays of any depth. */
  readonly data: JsonValue;
  /** The expected number of elements; the server counts those of a BYTES tensor. */
  readonly count: number;
}

/** The raw bytes of a tensor's data in JSON. */
export function tensorFromJson({ name, datatype, data, count }: JsonTensor): Buffer {
  const values: JsonValue[] = [];
  flatten(data, values);
  if (datatype === 'BYTES') return prefixed('Unable to parse JSON bytes array', () => encodeTexts(values));
  const isHalf = datatype === 'FP16' || datatype === 'BF16';
  if (isHalf)
    throw refused(
      `receiving ${datatype} data via JSON is not supported. Please use the binary data format for input ${name}`,
    );
  // A client may send `constructor` as its datatype.
  const encode = Object.hasOwn(encoders, datatype) ? encoders[datatype] : undefined;
  if (!encode) throw refused(`invalid datatype for input ${name}`);
  return prefixed("Unable to parse 'data'", () => {
    const encoded = encode(values.length > count ? values.slice(0, count) : values);
    if (values.length !== count) throw new StatusError('INTERNAL', "Shape does not match true shape of 'data' field");
    return Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength);
  });
}

/** The elements of an output, each as JSON in a binary string. */
export function elementsToJson(name: string, datatype: string, data: Buffer, count: number): string[] {
  if (datatype === 'FP16' || datatype === 'BF16')
    throw refused(`sending ${datatype} data via JSON is not supported. Please use the binary data format for output`);
  const mismatch = new StatusError('INTERNAL', `output tensor shape does not match size of output for '${name}'`);
  if (datatype === 'BYTES') return textElements(data, count, mismatch);
  const decode = decoders[datatype];
  if (!decode) throw refused('Invalid data type for output tensor');
  if (data.length !== count * (elementSizes[datatype] ?? 0)) throw mismatch;
  // A typed array needs aligned bytes, which a part of a message rarely has.
  return decode(new Uint8Array(data).buffer);
}

/** Texts as raw data of a BYTES tensor. */
function encodeTexts(values: readonly JsonValue[]): Buffer {
  const texts = values.map(asString);
  const data = Buffer.allocUnsafe(texts.reduce((size, text) => size + 4 + text.length, 0));
  let at = 0;
  for (const text of texts) {
    at = data.writeUInt32LE(text.length, at);
    at += data.write(text, at, 'latin1');
  }
  return data;
}

function textElements(data: Buffer, count: number, mismatch: StatusError): string[] {
  const texts: string[] = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (at + 4 > data.length) throw mismatch;
    const length = data.readUInt32LE(at);
    if (at + 4 + length > data.length) throw mismatch;
    texts.push(quoteJson(data.toString('latin1', at + 4, at + 4 + length)));
    at += 4 + length;
  }
  return texts;
}

function flatten(value: JsonValue, into: JsonValue[]): void {
  if (isArray(value)) for (const element of value) flatten(element, into);
  else into.push(value);
}

type Encoder = (values: readonly JsonValue[]) => NodeJS.TypedArray;

// Numbers that are too large keep their low bytes, as in Triton.
const encoders: Readonly<Record<string, Encoder>> = {
  BOOL: (values) => Uint8Array.from(values, (value) => (asBoolean(value) ? 1 : 0)),
  UINT8: (values) => Uint8Array.from(values, (value) => low(asUnsigned(value))),
  UINT16: (values) => Uint16Array.from(values, (value) => low(asUnsigned(value))),
  UINT32: (values) => Uint32Array.from(values, (value) => low(asUnsigned(value))),
  UINT64: (values) => BigUint64Array.from(values, (value) => BigInt(asUnsigned(value))),
  INT8: (values) => Int8Array.from(values, (value) => low(asSigned(value))),
  INT16: (values) => Int16Array.from(values, (value) => low(asSigned(value))),
  INT32: (values) => Int32Array.from(values, (value) => low(asSigned(value))),
  INT64: (values) => BigInt64Array.from(values, (value) => BigInt(asSigned(value))),
  FP32: (values) => Float32Array.from(values, asNumber),
  FP64: (values) => Float64Array.from(values, asNumber),
};

function low(value: number | bigint): number {
  return typeof value === 'bigint' ? Number(BigInt.asIntN(32, value)) : value;
}

type Decoder = (bytes: ArrayBuffer) => string[];

const decoders: Readonly<Record<string, Decoder>> = {
  BOOL: (bytes) => Array.from(new Uint8Array(bytes), (value) => (value === 0 ? 'false' : 'true')),
  UINT8: (bytes) => Array.from(new Uint8Array(bytes), String),
  UINT16: (bytes) => Array.from(new Uint16Array(bytes), String),
  UINT32: (bytes) => Array.from(new Uint32Array(bytes), String),
  UINT64: (bytes) => Array.from(new BigUint64Array(bytes), String),
  INT8: (bytes) => Array.from(new Int8Array(bytes), String),
  INT16: (bytes) => Array.from(new Int16Array(bytes), String),
  INT32: (bytes) => Array.from(new Int32Array(bytes), String),
  INT64: (bytes) => Array.from(new BigInt64Array(bytes), String),
  FP32: (bytes) => Array.from(new Float32Array(bytes), writeDouble),
  FP64: (bytes) => Array.from(new Float64Array(bytes), writeDouble),
};

function refused(message: string): StatusError {
  return new StatusError('INVALID_ARGUMENT', message);
}

import protobuf from 'protobufjs/light.js';
import { StatusError } from './status.ts';

/** The input that typed contents belong to. */
interface Owner {
  readonly name: string;
  readonly datatype: string;
  readonly model: string;
}

/** One of the lists of an InferTensorContents: its number, and the datatypes that it carries, the usual one last. */
interface ContentsList {
  readonly field: number;
  readonly wireType: number;
  readonly datatypes: readonly string[];
}

// In the order in which Triton looks at them.
const lists: readonly ContentsList[] = [
  { field: 1, wireType: 0, datatypes: ['BOOL'] },
  { field: 2, wireType: 0, datatypes: ['INT8', 'INT16', 'INT32'] },
  { field: 3, wireType: 0, datatypes: ['INT64'] },
  { field: 4, wireType: 0, datatypes: ['UINT8', 'UINT16', 'UINT32'] },
  { field: 5, wireType: 0, datatypes: ['UINT64'] },
  { field: 6, wireType: 5, datatypes: ['FP32'] },
  { field: 7, wireType: 1, datatypes: ['FP64'] },
  { field: 8, wireType: 2, datatypes: ['BYTES'] },
];

/** Converts the bytes of an InferTensorContents to raw data; undefined if all its lists are empty. */
export function rawContents(contents: Uint8Array, owner: Owner): Buffer | undefined {
  const read = readLists(contents, owner.datatype);
  let raw: Buffer | undefined;
  for (const { field, datatypes } of lists) {
    const elements = read.get(field);
    if (!elements) continue;
    const where = `unexpected explicit tensor data for input tensor '${owner.name}' for model '${owner.model}'`;
    if (raw) throw new StatusError('INVALID_ARGUMENT', `${where}, binary data was already supplied.`);
    if (!datatypes.includes(owner.datatype))
      throw new StatusError(
        'INVALID_ARGUMENT',
        `${where} of type '${datatypes.at(-1)}', expected datatype '${displayType(owner.datatype)}'`,
      );
    raw = Buffer.concat(elements);
  }
  return raw;
}

function readLists(contents: Uint8Array, datatype: string): Map<number, Buffer[]> {
  const read = new Map<number, Buffer[]>();
  const reader = protobuf.Reader.create(contents);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const list = lists.find(({ field }) => field === tag >>> 3);
    if (!list) {
      reader.skipType(tag & 7);
      continue;
    }
    const isPacked = (tag & 7) === 2 && list.wireType !== 2;
    const end = isPacked ? reader.uint32() + reader.pos : reader.pos + 1;
    const elements = read.get(list.field) ?? [];
    while (reader.pos < end) elements.push(readElement(reader, list.field, datatype));
    if (elements.length > 0) read.set(list.field, elements);
  }
  return read;
}

function readElement(reader: protobuf.Reader, field: number, datatype: string): Buffer {
  switch (field) {
    case 1:
      return Buffer.of(reader.bool() ? 1 : 0);
    case 2:
    case 4:
      return narrow(field === 2 ? reader.int32() : reader.uint32(), datatype);
    case 3:
    case 5:
      return wide(reader.uint64());
    case 6: {
      const element = Buffer.allocUnsafe(4);
      element.writeFloatLE(reader.float());
      return element;
    }
    case 7: {
      const element = Buffer.allocUnsafe(8);
      element.writeDoubleLE(reader.double());
      return element;
    }
    default: {
      const text = reader.bytes();
      const length = Buffer.allocUnsafe(4);
      length.writeUInt32LE(text.length);
      return Buffer.concat([length, text]);
    }
  }
}

/** The low bytes of an integer, as many as the datatype has. */
function narrow(value: number, datatype: string): Buffer {
  const element = Buffer.allocUnsafe(4);
  element.writeInt32LE(value | 0);
  if (datatype.endsWith('8')) return element.subarray(0, 1);
  return datatype.endsWith('16') ? element.subarray(0, 2) : element;
}

function wide({ low, high }: protobuf.Long): Buffer {
  const element = Buffer.allocUnsafe(8);
  element.writeInt32LE(low | 0);
  element.writeInt32LE(high | 0, 4);
  return element;
}

function displayType(datatype: string): string {
  const isKnown = /^(?:BOOL|U?INT(?:8|16|32|64)|FP(?:16|32|64)|BF16|BYTES)$/.test(datatype);
  return isKnown ? datatype : '<invalid>';
}

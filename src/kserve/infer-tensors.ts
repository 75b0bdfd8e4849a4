import { type Cursor, field } from './cursor.ts';
import { type InferParameters, readParameter, writeParameter } from './infer-parameters.ts';
import type { TensorMetadata } from './messages.ts';
import type { ProtobufWriter } from './protobuf-writer.ts';
import type { ParameterValue } from './server.ts';

/** The metadata of an input or output. Its data follows as raw data, or is in InferTensorContents. */
interface TensorMessage extends TensorMetadata {
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  readonly contents: Buffer | undefined;
}

/** Reads an InferInputTensor or InferOutputTensor. */
export function readTensor(reader: Cursor): TensorMessage {
  let name = '';
  let datatype = '';
  let contents: Buffer | undefined;
  const shape: number[] = [];
  const parameters: Record<string, ParameterValue> = {};
  while (reader.at < reader.end) {
    const tag = reader.varint();
    if (tag === field(1)) name = reader.text();
    else if (tag === field(2)) datatype = reader.text();
    else if (tag === field(3)) readShape(reader.nested(), shape);
    else if (tag === 3 << 3) shape.push(reader.varint());
    else if (tag === field(4)) readParameter(reader.nested(), parameters);
    else if (tag === field(5)) contents = reader.bytes();
    else reader.skip(tag);
  }
  return { name, datatype, shape, parameters, contents };
}

function readShape(reader: Cursor, into: number[]): void {
  while (reader.at < reader.end) into.push(reader.varint());
}

/** Writes an InferInputTensor or InferOutputTensor, which both have number 5 in their messages. */
export function writeTensor(
  writer: ProtobufWriter,
  { name, datatype, shape }: Pick<TensorMessage, 'name' | 'datatype' | 'shape'>,
  parameters: InferParameters = [],
): void {
  writer.begin(5).text(1, name).text(2, datatype).packed(3, shape);
  for (const [key, parameter] of parameters) writeParameter(writer, 4, key, parameter);
  writer.end();
}

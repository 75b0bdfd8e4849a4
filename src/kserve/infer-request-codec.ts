import protobuf from 'protobufjs/light.js';
import { inferParameters } from './infer-parameters.ts';
import type { InferRequest, ParameterValue } from './server.ts';
import { StatusError } from './status.ts';
import type { Datatype, Tensor } from './tensors.ts';
import { rawContents } from './typed-contents.ts';

/** What Triton says of bytes that are no message of the expected kind. */
export function unreadable(): StatusError {
  return new StatusError('INTERNAL', 'Unable to parse request');
}

/** An input as it came, its data not looked at yet. */
interface InputDescription {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** The bytes of its InferTensorContents. */
  readonly contents: Uint8Array | undefined;
}

/**
 * A request that arrived as bytes. A server behind a wire gets them unchanged and is the judge of them; for one in this
 * process the data of the inputs is brought into raw form, and what does not fit together is refused in Triton's words.
 */
export class WireRequest implements InferRequest {
  readonly wire: Buffer;
  readonly model: string;
  readonly version: string;
  readonly id: string;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  readonly outputs?: readonly string[];
  readonly #descriptions: InputDescription[] = [];
  readonly #raw: Buffer[] = [];
  #inputs: readonly Tensor[] | undefined;

  constructor(wire: Buffer) {
    let model = '';
    let version = '';
    let id = '';
    const parameters: Record<string, ParameterValue> = {};
    const outputs: string[] = [];
    readFields(wire, (field, reader) => {
      if (field === 1) model = reader.string();
      else if (field === 2) version = reader.string();
      else if (field === 3) id = reader.string();
      else if (field === 4) inferParameters(reader.bytes(), parameters);
      else if (field === 5) this.#descriptions.push(readInput(reader.bytes()));
      else if (field === 6) outputs.push(readName(reader.bytes()));
      else if (field === 7) this.#raw.push(reader.bytes() as Buffer);
      else return false;
      return true;
    });
    this.wire = wire;
    this.model = model;
    this.version = version;
    this.id = id;
    this.parameters = parameters;
    if (outputs.length > 0) this.outputs = outputs;
  }

  get inputs(): readonly Tensor[] {
    this.#inputs ??= this.#readInputs();
    return this.#inputs;
  }

  #readInputs(): Tensor[] {
    let next = 0;
    return this.#descriptions.map((input) => {
      const { name, shape, parameters } = input;
      if (parameters['shared_memory_region'] !== undefined)
        throw new StatusError(
          'UNIMPLEMENTED',
          `input '${name}' is in shared memory, which model '${this.model}' cannot read`,
        );
      const data = this.#raw.length > 0 ? this.#rawData(input, next++) : this.#typedData(input);
      return { name, datatype: input.datatype as Datatype, shape, data };
    });
  }

  #rawData({ name, contents }: InputDescription, index: number): Buffer {
    if (contents)
      throw refused(
        `contents field must not be specified when using raw_input_contents for '${name}' for model '${this.model}'`,
      );
    return this.#raw[index] ?? this.#noData(name);
  }

  #typedData({ name, datatype, contents }: InputDescription): Buffer {
    return (contents && rawContents(contents, { name, datatype, model: this.model })) ?? this.#noData(name);
  }

  #noData(name: string): never {
    throw refused(`unable to find data for input tensor '${name}' for model '${this.model}' in request.`);
  }
}

/** Reads a message field by field; what the taker does not know is skipped. */
function readFields(bytes: Uint8Array, take: (field: number, reader: protobuf.Reader) => boolean): void {
  const reader = protobuf.Reader.create(bytes);
  try {
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (!take(tag >>> 3, reader)) reader.skipType(tag & 7);
    }
  } catch (error) {
    throw error instanceof StatusError ? error : unreadable();
  }
}

function readInput(bytes: Uint8Array): InputDescription {
  let name = '';
  let datatype = '';
  let contents: Uint8Array | undefined;
  const shape: number[] = [];
  const parameters: Record<string, ParameterValue> = {};
  const reader = protobuf.Reader.create(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag >>> 3 === 1) name = reader.string();
    else if (tag >>> 3 === 2) datatype = reader.string();
    else if (tag >>> 3 === 3) readShape(reader, tag & 7, shape);
    else if (tag >>> 3 === 4) inferParameters(reader.bytes(), parameters);
    else if (tag >>> 3 === 5) contents = reader.bytes();
    else reader.skipType(tag & 7);
  }
  return { name, datatype, shape, parameters, contents };
}

function readShape(reader: protobuf.Reader, wireType: number, into: number[]): void {
  const end = wireType === 2 ? reader.uint32() + reader.pos : reader.pos + 1;
  while (reader.pos < end) into.push(Number(reader.int64()));
}

function readName(bytes: Uint8Array): string {
  let name = '';
  readFields(bytes, (field, reader) => {
    if (field !== 1) return false;
    name = reader.string();
    return true;
  });
  return name;
}

function refused(message: string): StatusError {
  return new StatusError('INVALID_ARGUMENT', message);
}

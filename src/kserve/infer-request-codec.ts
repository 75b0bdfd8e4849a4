import { Cursor, field } from './cursor.ts';
import { readParameter } from './infer-parameters.ts';
import { readTensor } from './infer-tensors.ts';
import type { InferRequest, ParameterValue } from './server.ts';
import { StatusError } from './status.ts';
import type { Datatype, Tensor } from './tensors.ts';
import { rawContents } from './typed-contents.ts';

/** Triton's error for bytes that are no message of the expected type. */
export function unreadable(): StatusError {
  return new StatusError('INTERNAL', 'Unable to parse request');
}

type InputDescription = ReturnType<typeof readTensor>;

/**
 * A request that arrived as bytes. A remote server gets them unchanged and checks them. For a server in this process,
 * the inputs are converted to raw tensor data, and inconsistent ones are rejected with Triton's messages.
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
    const reader = new Cursor(wire, 0, wire.length);
    try {
      while (reader.at < reader.end) {
        const tag = reader.varint();
        if (tag === field(1)) model = reader.text();
        else if (tag === field(2)) version = reader.text();
        else if (tag === field(3)) id = reader.text();
        else if (tag === field(4)) readParameter(reader.nested(), parameters);
        else if (tag === field(5)) this.#descriptions.push(readTensor(reader.nested()));
        else if (tag === field(6)) outputs.push(readName(reader.nested()));
        else if (tag === field(7)) this.#raw.push(reader.bytes());
        else reader.skip(tag);
      }
    } catch {
      throw unreadable();
    }
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

function readName(reader: Cursor): string {
  let name = '';
  while (reader.at < reader.end) {
    const tag = reader.varint();
    if (tag === field(1)) name = reader.text();
    else reader.skip(tag);
  }
  return name;
}

function refused(message: string): StatusError {
  return new StatusError('INVALID_ARGUMENT', message);
}

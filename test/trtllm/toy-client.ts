import type { InferRequest, InferResponse } from '../../src/kserve/server.ts';
import { StatusError } from '../../src/kserve/status.ts';
import {
  boolTensor,
  type Datatype,
  isNumberDatatype,
  numberTensor,
  readTexts,
  type Tensor,
  textTensor,
} from '../../src/kserve/tensors.ts';
import type { RemoteServer } from '../../src/servers/remote/remote-server.ts';
import { remoteServer } from '../grpc/remote.ts';
import { directive } from '../support/exchange.ts';
import { pulled } from '../support/pulled-responses.ts';

type Value = string | number | boolean;
export type Inputs = Readonly<Record<string, Value | readonly Value[] | readonly (readonly Value[])[]>>;

/** One response: its outputs as lists in their shape, and whether it was marked as the last one. */
export interface Message {
  readonly final: boolean;
  readonly outputs: Readonly<Record<string, unknown>>;
}

export interface Response {
  readonly messages: readonly Message[];
  readonly responses: readonly InferResponse[];
  /** What ended the stream in place of the final response. */
  readonly error?: string;
}

export interface AskOptions {
  readonly id?: string;
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  /** Called with the number of responses so far. */
  readonly onResponses?: (count: number) => void;
}

interface Declared {
  readonly datatypes: ReadonlyMap<string, string>;
  readonly isBatched: boolean;
}

/** Speaks to the models with plain values: types and shapes are those that each model declares. */
export class ToyClient {
  readonly server: RemoteServer;
  readonly #declared = new Map<string, Promise<Declared>>();

  constructor(port: number) {
    this.server = remoteServer(port);
  }

  /** Everything that a model answers on the stream, empty final responses included. */
  async ask(model: string, inputs: Inputs, { id = 'one', ...options }: AskOptions = {}): Promise<Response> {
    const responses: InferResponse[] = [];
    let error: string | undefined;
    try {
      const request = await this.request(model, inputs, id);
      for await (const batch of pulled(this.server, request, options)) {
        responses.push(...batch);
        options.onResponses?.(responses.length);
      }
    } catch (failure) {
      if (!(failure instanceof StatusError)) throw failure;
      error = failure.message;
    }
    return { messages: responses.map(messageOf), responses, ...(error !== undefined && { error }) };
  }

  /** Asks, and leaves once so many responses have come. */
  async leaveAfter(count: number, model: string, inputs: Inputs): Promise<Response> {
    const leaving = new AbortController();
    const onResponses = (received: number) => {
      if (received >= count) leaving.abort();
    };
    return this.ask(model, inputs, { signal: leaving.signal, onResponses });
  }

  async request(model: string, inputs: Inputs, id = 'one'): Promise<InferRequest> {
    const { datatypes, isBatched } = await this.#declarationsOf(model);
    return {
      model,
      id,
      parameters: { triton_enable_empty_final_response: true },
      inputs: Object.entries(inputs).map(([name, value]) => {
        const datatype = datatypes.get(name);
        if (datatype === undefined) throw new Error(`${model} has no input ${name}`);
        return tensorOf(name, { datatype: datatype as Datatype, value, isBatched });
      }),
    };
  }

  /** What the engine behind a model has counted for a tag, once it is in that state. */
  async count(model: string, tag: string, until: string): Promise<{ tokens: number; state: string }> {
    const text_input = directive({ count_of: tag, until });
    const inputs = model === 'llmapi' ? { streaming: true } : { max_tokens: 1, stream: true };
    const { messages, error } = await this.ask(model, { text_input, ...inputs });
    if (error !== undefined) throw new Error(error);
    const texts = messages.flatMap(({ outputs }) => (outputs['text_output'] as string[] | undefined) ?? []);
    return JSON.parse(model === 'llmapi' ? (texts.at(-1) ?? '') : texts.join(''));
  }

  close(): Promise<void> {
    return this.server.close();
  }

  #declarationsOf(model: string): Promise<Declared> {
    const known = this.#declared.get(model) ?? this.#askForDeclarations(model);
    this.#declared.set(model, known);
    return known;
  }

  async #askForDeclarations(model: string): Promise<Declared> {
    const { config } = await this.server.call('ModelConfig', { name: model, version: '' });
    const datatypes = config.input.map(({ name, data_type }): [string, string] => [name, datatypeOf(data_type)]);
    return { datatypes: new Map(datatypes), isBatched: config.max_batch_size > 0 };
  }
}

function datatypeOf(dataType: string): string {
  return dataType === 'TYPE_STRING' ? 'BYTES' : dataType.replace('TYPE_', '');
}

function tensorOf(
  name: string,
  { datatype, value, isBatched }: { datatype: Datatype; value: Inputs[string]; isBatched: boolean },
): Tensor {
  const rows = Array.isArray(value) ? (value as readonly (Value | readonly Value[])[]) : [value as Value];
  const [first] = rows;
  const inner = Array.isArray(first) ? [rows.length, first.length] : [rows.length];
  const shape = isBatched ? [1, ...inner] : inner;
  const values: Value[] = rows.flat();
  if (datatype === 'BYTES') return textTensor(name, values.map(String), shape);
  if (datatype === 'BOOL') return boolTensor(name, values[0] === true, shape);
  // Weights: their numbers do not matter.
  if (datatype === 'FP16') return { name, datatype, shape, data: Buffer.alloc(2 * values.length) };
  if (!isNumberDatatype(datatype)) throw new Error(`${name} is a ${datatype}`);
  return numberTensor(name, { datatype, values: values.map(Number), shape });
}

function messageOf(response: InferResponse): Message {
  const outputs = response.outputs.map(({ name, datatype, shape }): [string, unknown] => {
    // Logits are too many to be shown.
    if (name.endsWith('_logits')) return [name, { datatype, shape }];
    return [name, nested(valuesOf(response.raw(name) ?? Buffer.alloc(0), datatype), shape)];
  });
  return { final: response.final, outputs: Object.fromEntries(outputs) };
}

function valuesOf(data: Buffer, datatype: Datatype): (string | number)[] {
  const bytes = data.buffer.slice(data.byteOffset, data.byteOffset + data.length);
  if (datatype === 'BYTES') return readTexts(data);
  if (datatype === 'INT32') return [...new Int32Array(bytes)];
  if (datatype === 'INT64') return [...new BigInt64Array(bytes)].map(Number);
  return [...new Float32Array(bytes)].map((value) => Number(value.toPrecision(6)));
}

function nested(values: readonly (string | number)[], [size = 0, ...rest]: readonly number[]): unknown[] {
  if (rest.length === 0) return [...values];
  const length = values.length / size;
  return Array.from({ length: size }, (_, at) => nested(values.slice(at * length, (at + 1) * length), rest));
}

import { Cursor, field } from './cursor.ts';
import { readParameter } from './infer-parameters.ts';
import { readTensor } from './infer-tensors.ts';
import type { InferResponse, OutputDescription, ParameterValue } from './server.ts';
import { StatusError } from './status.ts';
import type { Datatype } from './tensors.ts';

/**
 * Reads the responses of one stream. The responses of one request repeat everything but the tensors' data, so what stands
 * in front of the data is compared with the previous response's bytes and understood again only where it differs.
 */
export class StreamResponseDecoder {
  readonly #requestId: string | undefined;
  /** What every response of the stream is read through: one object for all of them. */
  readonly #response = new WireResponse();
  #head: Head | undefined;
  #headBytes: Buffer = Buffer.alloc(0);

  /** With the id of its request, a response that names another is a fault. */
  constructor(requestId?: string) {
    this.#requestId = requestId;
  }

  /**
   * The ModelStreamInferResponse that stands between two offsets, until the next one is decoded. Throws a StatusError when
   * it carries an error.
   */
  decode(message: Buffer, from: number, to: number): InferResponse {
    const reader = cursor.move(message, from, to);
    let error = '';
    let begin = from;
    let end = from;
    while (reader.at < to) {
      const tag = reader.varint();
      if (tag === field(1)) error = reader.text();
      else if (tag === field(2)) {
        end = reader.varint() + reader.at;
        begin = reader.at;
        reader.skipTo(end);
      } else reader.skip(tag);
    }
    const response = this.decodeResponse(message, begin, end);
    if (error !== '') throw new StreamFault(error, response.head);
    return response;
  }

  /** One ModelInferResponse that stands between two offsets. */
  decodeResponse(message: Buffer, from: number, to: number): WireResponse {
    let head = this.#head;
    let at = from + this.#headBytes.length;
    const isKnown = head !== undefined && at <= to && startsWith(message, from, this.#headBytes);
    const reader = cursor.move(message, isKnown ? at : from, to);
    if (head === undefined || !isKnown || (reader.at < to && message[reader.at] !== rawContents)) {
      reader.at = from;
      head = readHead(reader);
      if (this.#requestId !== undefined && head.id !== '' && head.id !== this.#requestId)
        throw new StatusError('INTERNAL', 'The server sent a response for another request.');
      at = reader.at;
      this.#head = head;
      this.#headBytes = Buffer.from(message.subarray(from, at));
    }
    const data = reader.at;
    // Read to the end once, so that a message that is cut or wrong fails here.
    while (reader.at < to) reader.skip(reader.varint());
    return this.#response.show(message, head, from, data, to);
  }
}

/** Heads have about a hundred bytes: for so few a loop takes less time than a call of native code. */
function startsWith(message: Buffer, from: number, head: Buffer): boolean {
  for (let at = 0; at < head.length; at++) if (message[from + at] !== head[at]) return false;
  return true;
}

/** Moved to whatever is read: no reading begins while another is in its middle. */
const cursor = new Cursor(Buffer.alloc(0), 0, 0);

/** A single ModelInferResponse. */
export function decodeInferResponse(message: Buffer): InferResponse {
  return new StreamResponseDecoder().decodeResponse(message, 0, message.length);
}

/** An error that came inside a stream, with what the server said about whose it is. */
export class StreamFault extends StatusError {
  readonly requestId: string;
  readonly final: boolean;

  constructor(message: string, head: Head) {
    super('UNKNOWN', message);
    this.requestId = head.id;
    this.final = head.final;
  }
}

/** Everything of a response that stands before the tensors' data. */
type Head = Pick<InferResponse, 'model' | 'version' | 'id' | 'parameters' | 'final' | 'outputs'>;

const noHead: Head = { model: '', version: '', id: '', parameters: {}, final: false, outputs: [] };

/** Shows one response at a time: it holds places in the message, and finds an output's data when it is asked for it. */
class WireResponse implements InferResponse {
  #head = noHead;
  #message: Buffer = Buffer.alloc(0);
  #from = 0;
  #data = 0;
  #to = 0;
  /** The data that was found last. */
  #foundAt = 0;
  #foundTo = 0;

  /** Shows another response from now on: it begins at `from`, its tensors' data at `data`. No object for each token. */
  show(message: Buffer, head: Head, from: number, data: number, to: number): this {
    this.#message = message;
    this.#head = head;
    this.#from = from;
    this.#data = data;
    this.#to = to;
    return this;
  }

  kept(): InferResponse {
    return new WireResponse().show(this.#message, this.#head, this.#from, this.#data, this.#to);
  }

  get head(): Head {
    return this.#head;
  }
  get model(): string {
    return this.#head.model;
  }
  get version(): string {
    return this.#head.version;
  }
  get id(): string {
    return this.#head.id;
  }
  get parameters(): Readonly<Record<string, ParameterValue>> {
    return this.#head.parameters;
  }
  get final(): boolean {
    return this.#head.final;
  }
  get outputs(): readonly OutputDescription[] {
    return this.#head.outputs;
  }
  get wire(): Buffer {
    return this.#message.subarray(this.#from, this.#to);
  }

  raw(name: string): Buffer | undefined {
    return this.#find(name) ? this.#message.subarray(this.#foundAt, this.#foundTo) : undefined;
  }

  text(name: string): string | undefined {
    if (!this.#find(name)) return undefined;
    const from = this.#foundAt;
    const to = this.#foundTo;
    if (to - from < 4) return '';
    const length = this.#message.readUInt32LE(from);
    if (length === 4 && to - from === 8 && this.#message.readUInt32LE(from + 4) === noneBytes) return 'None';
    return this.#message.toString('utf8', from + 4, Math.min(to, from + 4 + length));
  }

  uint32(name: string): number | undefined {
    if (!this.#find(name) || this.#foundTo - this.#foundAt < 4) return undefined;
    return this.#message.readUInt32LE(this.#foundAt);
  }

  /** Finds the data of an output; false when the response does not carry it. The data stand in the order of the outputs. */
  #find(name: string): boolean {
    const { outputs } = this.#head;
    let before = 0;
    while (before < outputs.length && outputs[before]?.name !== name) before++;
    if (before === outputs.length) return false;
    const reader = cursor.move(this.#message, this.#data, this.#to);
    while (reader.at < reader.end) {
      const tag = reader.varint();
      if (tag !== rawContents) {
        reader.skip(tag);
        continue;
      }
      const length = reader.varint();
      this.#foundAt = reader.at;
      reader.skipTo(reader.at + length);
      this.#foundTo = reader.at;
      if (before-- === 0) return true;
    }
    return false;
  }
}

const rawContents = field(6);

/** The text None, which every response but the last has for a reason to finish: no text is made of it each time. */
const noneBytes = Buffer.from('None').readUInt32LE();

/** Reads up to the first byte of tensor data. */
function readHead(reader: Cursor): Head {
  let model = '';
  let version = '';
  let id = '';
  const parameters: Record<string, ParameterValue> = {};
  const outputs: OutputDescription[] = [];
  while (reader.at < reader.end && reader.peek() !== rawContents) {
    const tag = reader.varint();
    if (tag === field(1)) model = reader.text();
    else if (tag === field(2)) version = reader.text();
    else if (tag === field(3)) id = reader.text();
    else if (tag === field(4)) readParameter(reader.nested(), parameters);
    else if (tag === field(5)) outputs.push(readOutput(reader.nested()));
    else reader.skip(tag);
  }
  return { model, version, id, parameters, final: parameters['triton_final_response'] === true, outputs };
}

function readOutput(reader: Cursor): OutputDescription {
  const { name, datatype, shape } = readTensor(reader);
  return { name, datatype: datatype as Datatype, shape };
}

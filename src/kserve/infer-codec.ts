import { Cursor, field } from './cursor.ts';
import { readParameter } from './infer-parameters.ts';
import { readTensor } from './infer-tensors.ts';
import type { InferResponse, OutputDescription, ParameterValue } from './server.ts';
import { StatusError } from './status.ts';
import type { Datatype } from './tensors.ts';

/**
 * Reads the responses of one stream. The responses of one request repeat everything but the tensors' data. So the bytes
 * before the data are compared with those of the previous response, and parsed again only if they differ.
 */
export class StreamResponseDecoder {
  readonly #requestId: string | undefined;
  /** One view object for all responses of the stream. */
  readonly #response = new WireResponse();
  #head: Head | undefined;
  #headBytes: Buffer = Buffer.alloc(0);

  /** With the id of the request, a response with another id is an error. */
  constructor(requestId?: string) {
    this.#requestId = requestId;
  }

  /**
   * The ModelStreamInferResponse between two offsets, valid until the next one is decoded. Throws a StatusError if it
   * carries an error. MLServer sends a ModelInferResponse instead, which has more fields.
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
      } else if (tag > field(2) && tag <= rawContents) return this.decodeResponse(message, from, to);
      else reader.skip(tag);
    }
    const response = this.decodeResponse(message, begin, end);
    if (error !== '') throw new StreamError(error, response.head);
    return response;
  }

  /** The ModelInferResponse between two offsets. */
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
    // Read to the end once, so that a truncated or invalid message fails here.
    while (reader.at < to) reader.skip(reader.varint());
    return this.#response.show(message, head, from, data, to);
  }
}

/** Heads have about a hundred bytes. For so few, a loop is faster than a native call. */
function startsWith(message: Buffer, from: number, head: Buffer): boolean {
  for (let at = 0; at < head.length; at++) if (message[from + at] !== head[at]) return false;
  return true;
}

/** Shared by all reads, which never overlap. */
const cursor = new Cursor(Buffer.alloc(0), 0, 0);

/** A single ModelInferResponse. */
export function decodeInferResponse(message: Buffer): InferResponse {
  return new StreamResponseDecoder().decodeResponse(message, 0, message.length);
}

/** An error inside a stream, with the head that identifies its request. */
export class StreamError extends StatusError {
  readonly requestId: string;
  readonly final: boolean;

  constructor(message: string, head: Head) {
    super('UNKNOWN', message);
    this.requestId = head.id;
    this.final = head.final;
  }
}

/** Everything of a response before the tensors' data. */
type Head = Pick<InferResponse, 'model' | 'version' | 'id' | 'parameters' | 'final' | 'outputs'>;

const noHead: Head = { model: '', version: '', id: '', parameters: {}, final: false, outputs: [] };

/** A view of one response at a time: it holds offsets in the message and finds the data of an output on demand. */
class WireResponse implements InferResponse {
  #head = noHead;
  #message: Buffer = Buffer.alloc(0);
  #from = 0;
  #data = 0;
  #to = 0;
  /** The data that was found last. */
  #foundAt = 0;
  #foundTo = 0;

  /** Moves to another response, which starts at `from`, its tensors' data at `data`. This saves an object per token. */
  show(message: Buffer, head: Head, from: number, data: number, to: number): this {
    this.#message = message;
    this.#head = head;
    this.#from = from;
    this.#data = data;
    this.#to = to;
    return this;
  }

  detached(): InferResponse {
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

  /** Finds the data of an output; false if the response does not carry it. The data is in the order of the outputs. */
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

/** The text "None", the finish reason of every response but the last, to avoid creating it each time. */
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

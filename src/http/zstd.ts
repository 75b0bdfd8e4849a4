import { setImmediate } from 'node:timers/promises';

/** Node's types leave WebAssembly to those of browsers. */
declare const WebAssembly: {
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
};

/** The functions of libzstd, compiled to WebAssembly, that decode a stream. Pointers are offsets into its memory. */
interface Libzstd {
  readonly memory: { readonly buffer: ArrayBuffer };
  malloc(size: number): number;
  free(pointer: number): void;
  ZSTD_createDCtx(): number;
  ZSTD_freeDCtx(context: number): void;
  ZSTD_DStreamOutSize(): number;
  /** Negative: an error. 0: a frame is complete. */
  ZSTD_decompressStream(context: number, output: number, input: number): number;
}

/** The memory of an instance never shrinks, so one with more bytes is not used again. */
const mostMemory = 64 * 1024 * 1024;

/** Bytes that are decoded at once: about a millisecond. */
const turnSize = 256 * 1024;

/** Clients send one frame. Empty ones cost time, and give no bytes that would count. */
const mostFrames = 1024;

/** The decoder cannot be used: the data has nothing to do with it. */
export class ZstdUnavailableError extends Error {}

let compiled: Promise<object> | undefined;
let idle: Libzstd | undefined;

/** Compiles the library on first use, and again after a failure. Node has zstd only since version 22.15. */
async function compile(): Promise<object> {
  try {
    return await (compiled ??= load());
  } catch (error) {
    compiled = undefined;
    throw new ZstdUnavailableError('The decoder for zstd could not be loaded.', { cause: error });
  }
}

function load(): Promise<object> {
  return import('zstddec/stream').then(
    ({ ZSTDDecoder }) =>
      new Promise((resolve, reject) => {
        // The package's own driver neither checks errors nor frees memory after them, so only its module is used.
        const decoder = new (class extends ZSTDDecoder {
          override _init(result: { readonly module: object }): void {
            resolve(result.module);
          }
        })();
        decoder.init().catch(reject);
      }),
  );
}

/** Decodes zstd data in turns of the event loop. Returns undefined if the result has more than `most` bytes. */
export async function decodeZstd(data: Uint8Array, most: number): Promise<Buffer | undefined> {
  const module = await compile();
  const library = idle ?? newInstance(module);
  idle = undefined;
  const decoder = new ZstdDecoder(library, data);
  try {
    const pieces: Buffer[] = [];
    let size = 0;
    for (let turn = 0; !decoder.isDone; ) {
      const piece = decoder.next();
      size += piece.length;
      if (size > most) return undefined;
      if (piece.length > 0) pieces.push(piece);
      turn += piece.length;
      if (turn < turnSize) continue;
      turn = 0;
      await setImmediate();
    }
    return Buffer.concat(pieces, size);
  } finally {
    decoder.free();
    if (library.memory.buffer.byteLength <= mostMemory) idle = library;
  }
}

function newInstance(module: object): Libzstd {
  const imports = { env: { emscripten_notify_memory_growth: (): void => undefined } };
  return new WebAssembly.Instance(module, imports).exports as Libzstd;
}

function outOfMemory(): ZstdUnavailableError {
  return new ZstdUnavailableError('The decoder for zstd has no memory left.');
}

/** Sizes in a 32-bit memory. A buffer structure has a pointer, a size and a position. */
const word = 4;
const structureSize = 3 * word;

/** Decodes the frames of one body. */
class ZstdDecoder {
  readonly #library: Libzstd;
  readonly #context: number;
  readonly #allocations: number[] = [];
  readonly #input: number;
  readonly #output: number;
  readonly #outputBuffer: number;
  readonly #outputSize: number;
  readonly #inputSize: number;
  #isFrameDone = false;
  #frames = 0;
  #isInputRead = false;

  constructor(library: Libzstd, data: Uint8Array) {
    this.#library = library;
    this.#context = library.ZSTD_createDCtx();
    if (this.#context === 0) throw outOfMemory();
    this.#inputSize = data.length;
    const source = this.#allocate(data.length);
    new Uint8Array(library.memory.buffer, source, data.length).set(data);
    this.#outputSize = library.ZSTD_DStreamOutSize();
    this.#outputBuffer = this.#allocate(this.#outputSize);
    this.#input = this.#structure(source, data.length);
    this.#output = this.#structure(this.#outputBuffer, this.#outputSize);
  }

  get isDone(): boolean {
    return this.#isInputRead && this.#isFrameDone;
  }

  /** The next decoded bytes, possibly none. Throws if the data is broken or incomplete. */
  next(): Buffer {
    this.#setPosition(this.#output, 0);
    const before = this.#position(this.#input);
    const result = this.#library.ZSTD_decompressStream(this.#context, this.#output, this.#input);
    if (result < 0) throw new Error(`The zstd data is broken: error ${result}.`);
    const after = this.#position(this.#input);
    const size = this.#position(this.#output);
    this.#isFrameDone = result === 0;
    if (this.#isFrameDone) this.#frames += 1;
    if (this.#frames > mostFrames) throw new Error(`The zstd data has more than ${mostFrames} frames.`);
    this.#isInputRead = after === this.#inputSize;
    if (size === 0 && after === before) throw new Error('The zstd data is incomplete.');
    // A copy: the memory is written to again.
    return Buffer.from(new Uint8Array(this.#library.memory.buffer, this.#outputBuffer, size));
  }

  free(): void {
    this.#library.ZSTD_freeDCtx(this.#context);
    for (const pointer of this.#allocations) this.#library.free(pointer);
  }

  #allocate(size: number): number {
    const pointer = this.#library.malloc(Math.max(size, 1));
    if (pointer === 0) throw outOfMemory();
    this.#allocations.push(pointer);
    return pointer;
  }

  #structure(buffer: number, size: number): number {
    const pointer = this.#allocate(structureSize);
    new Uint32Array(this.#library.memory.buffer, pointer, 3).set([buffer, size, 0]);
    return pointer;
  }

  #position(structure: number): number {
    return new DataView(this.#library.memory.buffer).getUint32(structure + 2 * word, true);
  }

  #setPosition(structure: number, position: number): void {
    new DataView(this.#library.memory.buffer).setUint32(structure + 2 * word, position, true);
  }
}

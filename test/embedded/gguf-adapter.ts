import { writeFileSync } from 'node:fs';

interface AdapterShape {
  readonly architecture: string;
  /** The matrix of the model that is changed, and its sizes. */
  readonly tensor: string;
  readonly inputs: number;
  readonly outputs: number;
  /** The value of every element: the larger, the more the model changes. */
  readonly strength: number;
}

/** Writes a LoRA adapter of rank one in GGUF, small enough to be made for each test. */
export function writeAdapter(file: string, { architecture, tensor, inputs, outputs, strength }: AdapterShape): void {
  const texts: [string, string][] = [
    ['general.architecture', architecture],
    ['general.type', 'adapter'],
    ['adapter.type', 'lora'],
  ];
  const tensors = [
    { name: `${tensor}.lora_a`, dims: [inputs, 1] },
    { name: `${tensor}.lora_b`, dims: [1, outputs] },
  ];
  const head = [Buffer.from('GGUF'), uint32(3), uint64(tensors.length), uint64(texts.length + 1)];
  for (const [key, value] of texts) head.push(text(key), uint32(8), text(value));
  head.push(text('adapter.lora.alpha'), uint32(6), float(1));
  let offset = 0;
  const data: Buffer[] = [];
  for (const { name, dims } of tensors) {
    const count = dims.reduce((product, size) => product * size, 1);
    head.push(text(name), uint32(dims.length), ...dims.map(uint64), uint32(0), uint64(offset));
    const values = Float32Array.from({ length: count }, (_, index) => strength * (index % 2 === 0 ? 1 : -1));
    const bytes = Buffer.from(values.buffer);
    const padded = Buffer.alloc(Math.ceil(bytes.length / 32) * 32);
    bytes.copy(padded);
    data.push(padded);
    offset += padded.length;
  }
  const header = Buffer.concat(head);
  const start = Buffer.alloc(Math.ceil(header.length / 32) * 32);
  header.copy(start);
  writeFileSync(file, Buffer.concat([start, ...data]));
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function float(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint64(bytes.length), bytes]);
}

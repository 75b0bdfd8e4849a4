import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { factsOf } from '../engine/model-facts.ts';
import { readGgufHeader } from './header.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-gguf-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const uint32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
const uint64 = (value: number): Buffer => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const text = (value: string): Buffer => Buffer.concat([uint64(Buffer.byteLength(value)), Buffer.from(value)]);
const pair = (key: string, type: number, ...value: Buffer[]): Buffer =>
  Buffer.concat([text(key), uint32(type), ...value]);

function gguf(pairs: readonly Buffer[], { version = 3, data = 64 } = {}): string {
  const tensor = Buffer.concat([text('a.weight'), uint32(2), uint64(4), uint64(4), uint32(0), uint64(0)]);
  const header = Buffer.concat([
    Buffer.from('GGUF'),
    uint32(version),
    uint64(1),
    uint64(pairs.length),
    ...pairs,
    tensor,
  ]);
  const padding = Buffer.alloc((32 - (header.length % 32)) % 32);
  const file = join(folder, `${Math.random()}.gguf`);
  writeFileSync(file, Buffer.concat([header, padding, Buffer.alloc(data)]));
  return file;
}

const pairs = [
  pair('general.architecture', 8, text('llama')),
  pair('llama.context_length', 4, uint32(2048)),
  pair('llama.block_count', 4, uint32(2)),
  pair('llama.embedding_length', 4, uint32(64)),
  pair('llama.attention.head_count', 4, uint32(4)),
  pair('llama.attention.head_count_kv', 9, uint32(5), uint64(2), uint32(2), uint32(1)),
  pair('tokenizer.ggml.tokens', 9, uint32(8), uint64(3), text('<s>'), text('</s>'), text('é')),
  pair('tokenizer.ggml.scores', 9, uint32(6), uint64(2000), Buffer.alloc(8000)),
  pair('tokenizer.ggml.bos_token_id', 4, uint32(0)),
  pair('tokenizer.ggml.eos_token_id', 4, uint32(1)),
  pair('tokenizer.ggml.add_bos_token', 7, Buffer.of(1)),
  pair('tokenizer.chat_template', 8, text('{{ messages }}')),
];

describe('readGgufHeader', () => {
  it('reads values, the vocabulary and its tokens', async () => {
    const header = await readGgufHeader(gguf(pairs));
    expect(header.values.get('llama.context_length')).toBe(2048);
    expect(header.values.get('tokenizer.ggml.add_bos_token')).toBe(true);
    expect(header.values.has('tokenizer.ggml.scores')).toBe(false);
    expect(header).toMatchObject({ vocabularySize: 3, bosToken: '<s>', eosToken: '</s>', tensorNames: ['a.weight'] });
    expect(factsOf(header)).toEqual({
      architecture: 'llama',
      trainedContext: 2048,
      // Three heads of keys and of values in all, 16 numbers of two bytes each.
      bytesPerToken: 3 * 2 * 16 * 2,
      onlyEmbeds: false,
      isAdapter: false,
      chatTemplate: '{{ messages }}',
    });
  });

  it('refuses what is not a GGUF file, a version that it does not know, a folder and nothing at all', async () => {
    const file = join(folder, 'text.gguf');
    writeFileSync(file, 'hello');
    await expect(readGgufHeader(file)).rejects.toThrow(`${file} is not a GGUF file.`);
    await expect(readGgufHeader(gguf(pairs, { version: 9 }))).rejects.toThrow('GGUF version 9');
    await expect(readGgufHeader(folder)).rejects.toThrow('is a folder');
    await expect(readGgufHeader(join(folder, 'none'))).rejects.toThrow('does not exist');
  });

  it('notices a file that ends too early, wherever it was cut', async () => {
    const whole = gguf(pairs);
    const bytes = readFileSync(whole);
    const cut = join(folder, 'cut.gguf');
    for (let length = 4; length < bytes.length; length += 97) {
      writeFileSync(cut, bytes.subarray(0, length));
      await expect(readGgufHeader(cut)).rejects.toThrow(`${cut} is truncated: it ends after ${length} bytes`);
    }
    writeFileSync(cut, bytes.subarray(0, bytes.length - 1));
    await expect(readGgufHeader(cut)).rejects.toThrow('is truncated');
  });

  it('refuses a header with a type that does not exist', async () => {
    await expect(readGgufHeader(gguf([pair('a', 77, uint32(1))]))).rejects.toThrow('has an invalid GGUF header');
  });
});

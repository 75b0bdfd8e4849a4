import protobuf from 'protobufjs/light.js';
import { expect, it } from 'vitest';
import { field } from './cursor.ts';
import { ProtobufWriter } from './protobuf-writer.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

it.each([0, 1, 127, 128, 300, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1, -1, -300, 2n ** 63n - 1n, -(2n ** 63n)])(
  'writes the integer %s as protobufjs does',
  (value) => {
    const expected = protobuf.Writer.create().uint32(2 << 3);
    expect(hex(new ProtobufWriter().integer(2, value).finish())).toBe(
      hex(expected.int64(String(value) as never).finish()),
    );
  },
);

it('writes an unsigned integer with its bits', () => {
  const expected = protobuf.Writer.create()
    .uint32(5 << 3)
    .uint64('18446744073709551615');
  expect(hex(new ProtobufWriter().integer(5, 2n ** 64n - 1n).finish())).toBe(hex(expected.finish()));
});

it.each([0, 1, 41, 42, 43, 127, 128, 5_000, 20_000, 70_000])('writes texts and bytes of %i characters', (length) => {
  for (const character of ['a', 'ä', '字', '😀']) {
    const text = character.repeat(length);
    const expected = protobuf.Writer.create().uint32(field(3)).string(text).uint32(field(20)).bytes(Buffer.from(text));
    expect(hex(new ProtobufWriter().text(3, text).bytes(20, Buffer.from(text)).finish())).toBe(hex(expected.finish()));
  }
});

it.each([0, 10, 120, 121, 122, 200, 20_000])('writes messages in messages, of %i bytes', (length) => {
  const inner = Buffer.alloc(length, 7);
  const expected = protobuf.Writer.create();
  expected.uint32(field(1)).fork().uint32(field(2)).fork().uint32(field(3)).bytes(inner);
  expected
    .ldelim()
    .uint32(1 << 3)
    .bool(true)
    .ldelim()
    .uint32((4 << 3) | 1)
    .double(-0.1);
  const writer = new ProtobufWriter().begin(1).begin(2).bytes(3, inner).end().bool(1, true).end().double(4, -0.1);
  expect(hex(writer.finish())).toBe(hex(expected.finish()));
});

it('writes integers in one field', () => {
  const expected = protobuf.Writer.create().uint32(field(3)).fork();
  for (const value of [1, -1, 300]) expected.int64(value);
  expect(hex(new ProtobufWriter().packed(3, [1, -1, 300]).finish())).toBe(hex(expected.ldelim().finish()));
});

it('writes two messages at the same time', () => {
  const outer = new ProtobufWriter().text(1, 'outer');
  const inner = new ProtobufWriter().text(1, 'inner').finish();
  outer.bytes(2, inner);
  expect([inner.toString('latin1'), outer.finish().toString('latin1')]).toEqual([
    '\n\x05inner',
    '\n\x05outer\x12\x07\n\x05inner',
  ]);
});

import { describe, expect, it } from 'vitest';
import { HpackDecoder } from './hpack-decoder.ts';
import { encodeHeader } from './hpack-encoder.ts';
import { staticTable } from './static-table.ts';

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(/\s/g, ''), 'hex');
const decoder = ({ tableSize = 4096, listSize = 65_536 } = {}) => new HpackDecoder({ tableSize, listSize });

/** The headers of blocks that come one after another on one connection. */
function decoded(blocks: readonly string[], options?: { tableSize: number }) {
  const reader = decoder(options);
  return blocks.map((block) => ({ ...reader.decode(bytes(block)) }));
}

const requests = [
  { ':method': 'GET', ':scheme': 'http', ':path': '/', ':authority': 'www.example.com' },
  { ':method': 'GET', ':scheme': 'http', ':path': '/', ':authority': 'www.example.com', 'cache-control': 'no-cache' },
  {
    ':method': 'GET',
    ':scheme': 'https',
    ':path': '/index.html',
    ':authority': 'www.example.com',
    'custom-key': 'custom-value',
  },
];

const response = {
  'cache-control': 'private',
  date: 'Mon, 21 Oct 2013 20:13:21 GMT',
  location: 'https://www.example.com',
};
const responses = [
  { ':status': '302', ...response },
  { ':status': '307', ...response },
  {
    ':status': '200',
    ...response,
    date: 'Mon, 21 Oct 2013 20:13:22 GMT',
    'content-encoding': 'gzip',
    'set-cookie': 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
  },
];

/** The examples of RFC 7541, appendix C. */
describe('HpackDecoder', () => {
  it.each([
    ['C.2.1', '400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572', { 'custom-key': 'custom-header' }],
    ['C.2.2', '040c 2f73 616d 706c 652f 7061 7468', { ':path': '/sample/path' }],
    ['C.2.3', '1008 7061 7373 776f 7264 0673 6563 7265 74', { password: 'secret' }],
    ['C.2.4', '82', { ':method': 'GET' }],
  ])('reads a single header (%s)', (_, block, headers) => {
    expect(decoded([block])).toEqual([headers]);
  });

  it('reads requests without Huffman codes (C.3)', () => {
    expect(
      decoded([
        '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '8286 84be 5808 6e6f 2d63 6163 6865',
        '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
      ]),
    ).toEqual(requests);
  });

  it('reads requests with Huffman codes (C.4)', () => {
    expect(
      decoded([
        '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
        '8286 84be 5886 a8eb 1064 9cbf',
        '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
      ]),
    ).toEqual(requests);
  });

  it('reads responses whose table is full (C.5)', () => {
    const blocks = [
      `4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d
       546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d`,
      '4803 3330 37c1 c0bf',
      `88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f
       6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b
       2076 6572 7369 6f6e 3d31`,
    ];
    expect(decoded(blocks, { tableSize: 256 })).toEqual(responses);
  });

  it('reads responses with Huffman codes whose table is full (C.6)', () => {
    const blocks = [
      `4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7
       8f0b 97c8 e9ae 82ae 43d3`,
      '4883 640e ffc1 c0bf',
      `88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335
       dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07`,
    ];
    expect(decoded(blocks, { tableSize: 256 })).toEqual(responses);
  });

  it('joins values of one name, and forgets what does not fit into a smaller table', () => {
    const reader = decoder();
    expect({ ...reader.decode(bytes('4001 6101 31 4001 6101 32')) }).toEqual({ a: '1, 2' });
    expect({ ...reader.decode(bytes('be bf')) }).toEqual({ a: '2, 1' });
    expect({ ...reader.decode(bytes('20 82')) }).toEqual({ ':method': 'GET' });
    expect(() => reader.decode(bytes('be'))).toThrow('the table has no entry 62');
  });

  it.each([
    ['a number that no header has', 'ff80 80', 'the block ends inside a header'],
    ['the number zero', '80', 'the table has no entry 0'],
    ['a text that ends too early', '4001 6105 31', 'a string exceeds the block'],
    ['a number without an end', 'ffff ffff ffff ffff ffff', 'a number is too large'],
    ['a larger table than allowed', '3fe2 1f', 'the table is larger than allowed'],
    ['a table size after headers', '82 20', 'a table size update after headers'],
    ['padding of zeros', '0001 6181 00', 'invalid Huffman code'],
    ['more padding than a byte', '0001 6182 1fff', 'invalid Huffman code'],
    ['the end symbol', '0001 6184 ffff ffff', 'invalid Huffman code'],
  ])('refuses %s', (_, block, reason) => {
    expect(() => decoder().decode(bytes(block))).toThrow(reason);
  });

  it('refuses a small block that decodes to more than is allowed', () => {
    const reader = decoder({ listSize: 1000 });
    const long = Buffer.concat([bytes('4001 61 7f f9 02'), Buffer.alloc(504, 'x')]);
    expect(reader.decode(long)['a']).toHaveLength(504);
    expect(() => reader.decode(bytes('be be'))).toThrow('more than 1000 bytes of headers');
  });
});

describe('encodeHeader', () => {
  it.each<readonly [name: string, value: string]>([
    [':method', 'POST'],
    [':method', 'BREW'],
    [':path', `/${'p'.repeat(300)}`],
    ['te', 'trailers'],
    ['x-empty', ''],
    ['www-authenticate', 'Bearer'],
    ...staticTable,
  ])('writes what is read again: %s: %s', (name, value) => {
    expect({ ...decoder().decode(encodeHeader(name, value)) }).toEqual({ [name]: value });
  });

  it('adds nothing to the table', () => {
    const reader = decoder();
    reader.decode(encodeHeader('authorization', 'Bearer key'));
    expect(() => reader.decode(bytes('be'))).toThrow('the table has no entry 62');
  });
});

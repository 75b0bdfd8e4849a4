import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { plainWords } from './problem.ts';
import { byteSize, duration, listenHost, logLevel, metadata, webAddress } from './value-types.ts';

function read(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value, { error: plainWords });
  return result.success ? result.data : result.error.issues.map((issue) => issue.message);
}

describe('duration', () => {
  const requested = ['must be a duration such as 500ms, 2s or 5m, or a number of seconds'];
  it.each([
    ['500ms', 500],
    ['2s', 2_000],
    ['1.5s', 1_500],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['5 m', 300_000],
    ['10', 10_000],
    [10, 10_000],
    [0.25, 250],
    ['0', ['must be at least 100ms']],
    ['600h', ['must be less than 24 days']],
    ['2 days', requested],
    ['-2s', requested],
    [-1, requested],
    ['', requested],
    [true, requested],
  ])('reads %j as %j', (value, expected) => {
    expect(read(duration({ minimum: 100 }), value)).toEqual(expected);
  });
});

describe('byteSize', () => {
  const requested = ['must be a number of bytes, or a size such as 512KiB, 64MiB or 1GiB'];
  it.each([
    ['512', 512],
    [512, 512],
    ['512B', 512],
    ['1.5KiB', 1536],
    ['64MiB', 67_108_864],
    ['1GiB', 1_073_741_824],
    ['2GiB', ['must be at most 2147483647 bytes']],
    [0, ['must be at least 1 byte']],
    [0.5, requested],
    ['64MB', requested],
    ['many', requested],
    [null, requested],
  ])('reads %j as %j', (value, expected) => {
    expect(read(byteSize({ maximum: 2 ** 31 - 1 }), value)).toEqual(expected);
  });
});

describe('listenHost', () => {
  const requested = ['must be a host name or an IP address, without a port or a scheme'];
  it.each([
    ['0.0.0.0', '0.0.0.0'],
    ['localhost', 'localhost'],
    ['::1', '::1'],
    ['[::1]', '::1'],
    ['http://localhost', requested],
    ['a b', requested],
    ['', requested],
  ])('reads %j as %j', (value, expected) => {
    expect(read(listenHost, value)).toEqual(expected);
  });
});

describe('webAddress', () => {
  const requested = ['must be a URL that begins with http:// or https://'];
  it.each([
    ['https://hub.example/', 'https://hub.example'],
    ['http://127.0.0.1:8080/hub', 'http://127.0.0.1:8080/hub'],
    ['hub.example', requested],
    ['ftp://hub.example', requested],
  ])('reads %j as %j', (value, expected) => {
    expect(read(webAddress, value)).toEqual(expected);
  });
});

describe('logLevel', () => {
  it.each([
    ['trace', 'trace'],
    ['warn', 'warn'],
    ['warning', 'warn'],
    ['critical', 'fatal'],
    ['fatal', 'fatal'],
    ['loud', ['must be one of trace, debug, info, warn, warning, error, fatal, critical']],
  ])('reads %j as %j', (value, expected) => {
    expect(read(logLevel, value)).toEqual(expected);
  });
});

describe('metadata', () => {
  it.each([
    [[], {}],
    [['Authorization: Bearer a=b:c', 'x-team=blue'], { authorization: 'Bearer a=b:c', 'x-team': 'blue' }],
    [[{ authorization: 'Bearer a', 'x-team': 'blue' }], { authorization: 'Bearer a', 'x-team': 'blue' }],
    [['x-empty:'], { 'x-empty': '' }],
    [['nothing'], ['must be name: value or name=value']],
    [['=value'], ['must be name: value or name=value']],
    [[7], ['must be name: value or name=value']],
    [['a b: c'], ['must have a name of letters, digits and - _ . only']],
    [['trace-bin: AAAA'], ['must not have a name that ends with -bin: binary headers are not supported']],
    [['grpc-timeout: 1S'], ['must not set grpc-timeout: gRPC sets it']],
    [['x: ä'], ['must have a value of printable ASCII characters']],
    [['a: 1', 'A: 2'], ['must not set a twice']],
    ['a: 1', ['must be a list']],
  ])('reads %j as %j', (value, expected) => {
    expect(read(metadata, value)).toEqual(expected);
  });
});

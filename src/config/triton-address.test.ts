import { describe, expect, it } from 'vitest';
import { formatAddress, tritonAddress } from './triton-address.ts';

describe('tritonAddress', () => {
  it.each([
    ['triton', { host: 'triton', port: 8001, tls: undefined, dns: false }],
    ['triton:9001', { host: 'triton', port: 9001, tls: undefined, dns: false }],
    ['10.0.0.7:8001', { host: '10.0.0.7', port: 8001, tls: undefined, dns: false }],
    ['http://localhost:8001', { host: 'localhost', port: 8001, tls: false, dns: false }],
    ['http://localhost:8001/', { host: 'localhost', port: 8001, tls: false, dns: false }],
    ['grpc://a', { host: 'a', port: 8001, tls: false, dns: false }],
    ['https://a', { host: 'a', port: 8001, tls: true, dns: false }],
    ['GRPCS://a:1', { host: 'a', port: 1, tls: true, dns: false }],
    ['[::1]', { host: '::1', port: 8001, tls: undefined, dns: false }],
    ['https://[fe80::2]:65535', { host: 'fe80::2', port: 65535, tls: true, dns: false }],
    ['dns:triton.models.svc:8001', { host: 'triton.models.svc', port: 8001, tls: undefined, dns: true }],
    ['dns:///triton', { host: 'triton', port: 8001, tls: undefined, dns: true }],
    ['grpcs://dns:triton:8001', { host: 'triton', port: 8001, tls: true, dns: true }],
    ['dns:8001', { host: '8001', port: 8001, tls: undefined, dns: true }],
  ])('reads %j', (written, expected) => {
    expect(tritonAddress.parse(written)).toEqual(expected);
  });

  it.each([
    ['', 'must be a host and a port, such as triton:8001 or [::1]:8001'],
    ['a b', 'must be a host and a port, such as triton:8001 or [::1]:8001'],
    ['a:b', 'must be a host and a port, such as triton:8001 or [::1]:8001'],
    ['a:0', 'must have a port between 1 and 65535'],
    ['a:70000', 'must have a port between 1 and 65535'],
    ['::1', 'must have brackets around an IPv6 address: [::1]:8001'],
    ['[a]:8001', 'must have an IPv6 address between the brackets'],
    ['ftp://a', 'must begin with http://, https://, grpc:// or grpcs://, or with no scheme'],
    ['http://a:8001/v2', 'must be a host and a port, without a path'],
    ['http://me:word@a:8001', 'must not contain a user or password: send credentials with --triton-header'],
  ])('refuses %j', (written, message) => {
    expect(tritonAddress.safeParse(written).error?.issues.map((issue) => issue.message)).toEqual([message]);
  });

  it('writes an address so that it reads the same again', () => {
    for (const written of [
      'triton:8001',
      'grpcs://triton:9',
      '[::1]:8001',
      'dns:triton:8001',
      'grpcs://dns:triton:8001',
    ]) {
      const { tls, ...address } = tritonAddress.parse(written);
      expect(formatAddress({ ...address, tls: tls ?? false })).toBe(written);
    }
  });
});

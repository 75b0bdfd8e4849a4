import { expect, it } from 'vitest';
import { cycloneDx, installedPackages } from './bill-of-materials.mjs';

const own = { name: 'triton-conch', version: '0.1.0', license: 'Apache-2.0', description: 'A gateway' };
const integrity = `sha512-${Buffer.from('hash').toString('base64')}`;

it('what is installed beside the built files is what the lock file has not for development alone', () => {
  const packages = {
    '': { version: '0.1.0' },
    'node_modules/fastify': { version: '5.0.0', license: 'MIT', integrity, dev: true },
    'node_modules/@libsql/linux-x64-gnu': { version: '0.5.29', license: 'MIT', integrity, optional: true },
    'node_modules/libsql/node_modules/detect-libc': { version: '2.0.2' },
  };
  expect(installedPackages(packages)).toEqual([
    {
      name: '@libsql/linux-x64-gnu',
      version: '0.5.29',
      license: 'MIT',
      integrity,
      location: 'installed',
      isOptional: true,
    },
    { name: 'detect-libc', version: '2.0.2', location: 'installed', isOptional: false },
  ]);
});

it('every package stands once, with address, licence, hash and place', () => {
  const fastify = { name: '@a/fastify', version: '5.0.0', license: '(MIT OR ISC)', integrity, isOptional: false };
  const bundled = { ...fastify, location: /** @type {const} */ ('bundled') };
  const bare = { name: 'bare', version: '1.0.0', location: /** @type {const} */ ('installed'), isOptional: true };
  expect(cycloneDx(own, [bundled, bare, bundled])).toEqual({
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': 'pkg:npm/triton-conch@0.1.0',
        name: 'triton-conch',
        version: '0.1.0',
        licenses: [{ expression: 'Apache-2.0' }],
        purl: 'pkg:npm/triton-conch@0.1.0',
        description: 'A gateway',
      },
    },
    components: [
      {
        type: 'library',
        'bom-ref': 'pkg:npm/%40a/fastify@5.0.0',
        name: '@a/fastify',
        version: '5.0.0',
        licenses: [{ expression: '(MIT OR ISC)' }],
        purl: 'pkg:npm/%40a/fastify@5.0.0',
        scope: 'required',
        hashes: [{ alg: 'SHA-512', content: '68617368' }],
        properties: [{ name: 'conch:place', value: 'bundled' }],
      },
      {
        type: 'library',
        'bom-ref': 'pkg:npm/bare@1.0.0',
        name: 'bare',
        version: '1.0.0',
        purl: 'pkg:npm/bare@1.0.0',
        scope: 'optional',
        properties: [{ name: 'conch:place', value: 'installed' }],
      },
    ],
    dependencies: [
      { ref: 'pkg:npm/triton-conch@0.1.0', dependsOn: ['pkg:npm/%40a/fastify@5.0.0', 'pkg:npm/bare@1.0.0'] },
    ],
  });
});

import { readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { bundledPackages } from './bundled-packages.mjs';
import { inRoot } from './steps.mjs';

/** @typedef {{ name: string, version: string, license?: string, description?: string }} Package */
/** @typedef {Package & { location: 'bundled' | 'installed', isOptional: boolean, integrity?: string }} Part */
/** @typedef {{ version: string, license?: string, integrity?: string, dev?: boolean, optional?: boolean }} Locked */

/**
 * What Conch is made of, as CycloneDX has it: the packages whose code is within the built files, and those that are installed
 * beside them. It has no date and no serial number, so that two builds of the same sources are equal.
 * @param {string[]} modules paths of the files that were built
 */
export function billOfMaterials(modules) {
  const { packages } = JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8'));
  const bundled = bundledPackages(modules).map(({ folder, ...found }) => ({
    ...found,
    location: /** @type {const} */ ('bundled'),
    isOptional: false,
    integrity: packages[relative(inRoot('.'), folder).split(sep).join('/')]?.integrity,
  }));
  const own = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  return `${JSON.stringify(cycloneDx(own, [...bundled, ...installedPackages(packages)]), null, 2)}\n`;
}

/**
 * What npm installs beside the built files, by the lock file: all that is not for development alone.
 * @param {Record<string, Locked>} packages
 * @returns {Part[]}
 */
export function installedPackages(packages) {
  return Object.entries(packages).flatMap(([path, { version, license, integrity, dev, optional }]) => {
    if (path === '' || dev) return [];
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const known = { ...(license && { license }), ...(integrity && { integrity }) };
    return [{ name, version, ...known, location: /** @type {const} */ ('installed'), isOptional: optional === true }];
  });
}

/**
 * @param {Package} own
 * @param {Part[]} parts
 */
export function cycloneDx(own, parts) {
  const components = new Map(parts.map((part) => [addressOf(part), component(part)]));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', ...described(own), description: own.description } },
    components: [...components.values()],
    dependencies: [{ ref: addressOf(own), dependsOn: [...components.keys()] }],
  };
}

/** @param {Part} part */
function component({ location, isOptional, integrity, ...found }) {
  return {
    type: 'library',
    ...described(found),
    scope: isOptional ? 'optional' : 'required',
    ...(integrity && { hashes: [hash(integrity)] }),
    properties: [{ name: 'conch:place', value: location }],
  };
}

/** @param {Package} found */
function described({ name, version, license }) {
  const address = addressOf({ name, version });
  const licences = license ? { licenses: [{ expression: license }] } : {};
  return { 'bom-ref': address, name, version, ...licences, purl: address };
}

/**
 * The address of a package, as https://github.com/package-url has it.
 * @param {Package} found
 */
function addressOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/**
 * The hash of a package's archive, from the way in which lock files write it.
 * @param {string} integrity such as sha512-BASE64
 */
function hash(integrity) {
  const [algorithm = '', digest = ''] = integrity.split('-');
  return {
    alg: algorithm.toUpperCase().replace('SHA', 'SHA-'),
    content: Buffer.from(digest, 'base64').toString('hex'),
  };
}

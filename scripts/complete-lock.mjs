import { readFileSync, writeFileSync } from 'node:fs';
import { inRoot, say } from './lib/steps.mjs';

// `npm ci` refuses a lock file that lacks an optional package of another platform, and npm leaves those out that the
// registry at hand does not serve. This adds them, by their names and versions alone. Run it after `npm install`.

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

for (const file of ['package-lock.json', 'test/agents/package-lock.json']) {
  const lock = JSON.parse(readFileSync(inRoot(file), 'utf8'));
  const added = complete(lock);
  writeFileSync(inRoot(file), `${JSON.stringify(lock, null, 2)}\n`);
  say(`Added ${added} packages of other platforms to ${file}`);
}

/**
 * Adds what is missing and sorts the packages by their names.
 * @param {{ packages: Record<string, any> }} lock
 */
function complete(lock) {
  let added = 0;
  for (const owner of Object.values(lock.packages)) {
    for (const [name, version] of Object.entries(owner.optionalDependencies ?? {})) {
      const key = `node_modules/${name}`;
      if (lock.packages[key] || !/^\d/.test(version)) continue;
      lock.packages[key] = { version, ...(owner.dev && { dev: true }), optional: true, ...platformOf(name) };
      added += 1;
    }
  }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return added;
}

/**
 * Where a package such as @rolldown/binding-linux-arm64-musl is for.
 * @param {string} name
 */
function platformOf(name) {
  const words = name.split(/[/-]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  const libc = words.some((word) => word.startsWith('musl')) ? 'musl' : 'glibc';
  const hasLibrary = os.includes('linux') && words.some((word) => /^(musl|gnu)/.test(word));
  return { ...(os.length > 0 && { os }), ...(cpu.length > 0 && { cpu }), ...(hasLibrary && { libc: [libc] }) };
}

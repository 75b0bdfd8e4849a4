/** Conch's own load engine and wire codecs, from the build: `npm run build`, `npm test` and every benchmark make it first. */
const BUILT = new URL('../dist/bench/harness.js', import.meta.url);

/** @typedef {typeof import('../src/bench/harness.ts')} Harness */

/** @returns {Promise<Harness>} */
const load = async () => await import(BUILT.href);

export const harness = await load();

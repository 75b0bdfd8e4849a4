/**
 * Writes docs/benchmarks.md again from bench/results/, without measuring anything.
 *
 *   node bench/page.mjs
 */
import { writePage } from './results.mjs';

writePage();

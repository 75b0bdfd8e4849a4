/** What is measured against each other, in the order of the tables. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeTokenizer } from './tokenizer.mjs';

/** @import { Gateway } from './processes.mjs' */

/**
 * A gateway, and which of the token server's models is behind it.
 * @typedef {Gateway & { contract: 'vllm' | 'ensemble' | 'tokens' }} Contender
 */

export const CONCH_SCRIPT = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** The load client alone, straight at the token server. */
export const DIRECT = 'direct gRPC';

/** @type {Contender} */
export const conch = { name: 'Conch, vLLM', script: CONCH_SCRIPT, contract: 'vllm' };

/** @type {Contender} */
export const baseline = {
  name: 'grpc-js gateway',
  script: fileURLToPath(new URL('grpcjs-gateway.mjs', import.meta.url)),
  contract: 'vllm',
};

/**
 * Every contender, with a tokenizer of its own for the one that speaks token ids.
 * @returns {Contender[]}
 */
export function allContenders() {
  const folder = mkdtempSync(path.join(tmpdir(), 'conch-bench-tokenizer-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  writeTokenizer(folder);
  return [
    conch,
    { name: 'Conch, TensorRT-LLM ensemble', script: CONCH_SCRIPT, contract: 'ensemble' },
    { name: 'Conch, token ids', script: CONCH_SCRIPT, contract: 'tokens', flags: ['--tokenizer', `bench=${folder}`] },
    baseline,
  ];
}

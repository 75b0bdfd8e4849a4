import { ApiError } from '../errors.ts';
import type { Structure } from './contract.ts';
import { GrammarError } from './grammar-reader.ts';
import { sharedGrammar } from './vllm-grammar.ts';

/**
 * The structure as it is sent: a grammar is written in the notation that the libraries of the backend share. Throws an
 * error of the param `guide` where the grammar is not valid.
 */
export function sentStructure(structure: Structure, options: Parameters<typeof sharedGrammar>[1]): Structure {
  if (!('grammar' in structure)) return structure;
  try {
    return { grammar: sharedGrammar(structure.grammar, options) };
  } catch (error) {
    if (!(error instanceof GrammarError)) throw error;
    throw new ApiError('invalid_request', `guide: ${error.message}`, { param: 'guide' });
  }
}

import { ApiError } from '../errors.ts';
import type { Structure, WrittenGuide } from './contract.ts';
import { GrammarError } from './grammar-reader.ts';
import { GuideCache } from './guide-cache.ts';
import { type GrammarOptions, sharedGrammar } from './vllm-grammar.ts';
import { writeChoices, writeRegex } from './vllm-guide-pattern.ts';
import { writeSchema } from './vllm-guide-schema.ts';

/**
 * Writes structures in what xgrammar and llguidance read alike. vLLM checks a guide with one of them and may compile it
 * with the other, and an engine that cannot compile a guide ends. What they do not share is a 400 that names its path.
 */
export function guideWriter(grammars: GrammarOptions): (structure: Structure) => WrittenGuide {
  const cache = new GuideCache({ most: 256, longest: 64 * 1024 });
  return (structure) => cache.guide(structure, (input) => write(input, grammars));
}

function write(structure: Structure, grammars: GrammarOptions): WrittenGuide {
  if ('choice' in structure)
    return { structure: { regex: writeChoices(structure.choice, 'structured_outputs.choice') }, isExact: true };
  if ('regex' in structure) {
    const { text, isExact } = writeRegex(structure.regex, 'structured_outputs.regex');
    return { structure: { regex: text }, isExact };
  }
  if ('json' in structure) {
    const { schema, isExact } = writeSchema(structure.json, 'structured_outputs.json');
    return { structure: { json: schema }, isExact };
  }
  if ('grammar' in structure)
    return { structure: { grammar: writeGrammar(structure.grammar, grammars) }, isExact: true };
  return { structure, isExact: true };
}

function writeGrammar(text: string, grammars: GrammarOptions): string {
  try {
    return sharedGrammar(text, grammars);
  } catch (error) {
    if (!(error instanceof GrammarError)) throw error;
    const param = 'structured_outputs.grammar';
    throw new ApiError('invalid_request', `${param}: ${error.message}`, { param });
  }
}

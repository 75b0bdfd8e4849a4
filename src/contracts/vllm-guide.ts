import type { Structure, WrittenGuide } from './contract.ts';
import { GuideCache } from './guide-cache.ts';
import { writeChoices, writeRegex } from './vllm-guide-pattern.ts';
import { writeSchema } from './vllm-guide-schema.ts';

const cache = new GuideCache({ most: 256, longest: 64 * 1024 });

/**
 * Writes a structure in what xgrammar and llguidance read alike. vLLM checks a guide with one of them and may compile it
 * with the other, and an engine that cannot compile a guide ends. What they do not share is a 400 that names its place.
 */
export function writeGuide(structure: Structure): WrittenGuide {
  return cache.guide(structure, write);
}

function write(structure: Structure): WrittenGuide {
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
  return { structure, isExact: true };
}

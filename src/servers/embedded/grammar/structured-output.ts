import { z } from 'zod';
import { checkGrammarCost } from './grammar-cost.ts';
import { GrammarError } from './grammar-error.ts';
import { literalText } from './grammar-text.ts';
import { jsonObjectGrammar } from './json-rules.ts';
import { jsonSchemaGrammar } from './json-schema-grammar.ts';
import { regexGrammar } from './regex-grammar.ts';

/** Larger ones would block the event loop during the conversion to a grammar. */
const longestText = 256 * 1024;

const structuredOptions = z.strictObject({
  json: z.union([z.record(z.string(), z.unknown()), z.boolean(), z.string()]).nullish(),
  regex: z.string().min(1).nullish(),
  choice: z.array(z.string().min(1)).min(1).nullish(),
  grammar: z.string().min(1).nullish(),
  json_object: z.boolean().nullish(),
  // Options of vLLM's own backends; here the output is always compact, without fallbacks.
  disable_fallback: z.boolean().nullish(),
  disable_any_whitespace: z.boolean().nullish(),
  disable_additional_properties: z.boolean().nullish(),
  whitespace_pattern: z.string().nullish(),
});

type StructuredOptions = z.infer<typeof structuredOptions>;

const kinds = ['regex', 'choice', 'grammar', 'json'] as const;

/** The grammar of a structured_outputs text, in llama.cpp's notation. Throws a GrammarError. */
export function structuredGrammar(text: string): string | undefined {
  if (text.length > longestText)
    throw new GrammarError(`must be at most ${longestText} characters long, not ${text.length}`);
  const options = parse(text);
  const { json, regex, choice, grammar, json_object: anyObject } = options;
  const constraints = [json, regex, choice, grammar, anyObject || undefined].filter(
    (each) => each !== undefined && each !== null,
  );
  if (constraints.length === 0) return undefined;
  if (constraints.length > 1)
    throw new GrammarError('must have only one of json, regex, choice, grammar and json_object');
  try {
    const result = grammarOf(options);
    checkGrammarCost(result);
    return result;
  } catch (error) {
    if (error instanceof GrammarError)
      throw new GrammarError(error.message, `.${kinds.find((kind) => options[kind])}${error.location}`);
    if (error instanceof SyntaxError) throw new GrammarError('json is not valid JSON');
    throw error;
  }
}

function grammarOf({ json, regex, choice, grammar, json_object: anyObject }: StructuredOptions): string {
  if (anyObject) return jsonObjectGrammar;
  if (choice) return `root ::= ${choice.map(literalText).join(' | ')}`;
  if (regex) return `root ::= ${regexGrammar(regex)}`;
  return grammar ?? jsonSchemaGrammar(typeof json === 'string' ? JSON.parse(json) : json);
}

function parse(text: string): StructuredOptions {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new GrammarError('must be valid JSON');
  }
  const result = structuredOptions.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue?.code === 'unrecognized_keys') throw new GrammarError(`${issue.keys[0]} is not supported`);
  throw new GrammarError(`${issue?.path.join('.')} ${issue?.message}`);
}

import { isJsonObject } from '../json-object.ts';
import { endOfText } from './json-size.ts';

/** Digits of a 64-bit integer. The check of the field rejects longer numbers. */
const longestSeed = 20;

/**
 * A parsed body with exact seeds. JSON.parse rounds numbers above 2^53, for example a time in nanoseconds; a seed like
 * that becomes a bigint. Other bodies are returned unchanged, after one search.
 */
export function withExactSeeds(json: string, body: unknown): unknown {
  if (!json.includes('"seed"') || !isJsonObject(body)) return body;
  const { options } = body;
  const isInexact = isUnsafe(body['seed']) || (isJsonObject(options) && isUnsafe(options['seed']));
  if (!isInexact) return body;
  const { own, inOptions } = seedDigits(json);
  return {
    ...body,
    ...exact('seed', body['seed'], own),
    ...(isJsonObject(options) ? { options: { ...options, ...exact('seed', options['seed'], inOptions) } } : {}),
  };
}

function isUnsafe(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value);
}

function exact(name: string, value: unknown, digits: string | undefined): Readonly<Record<string, bigint>> {
  if (!isUnsafe(value) || digits === undefined || digits.length > longestSeed) return {};
  return { [name]: BigInt(digits) };
}

interface SeedDigits {
  own: string | undefined;
  /** Ollama's clients send it in `options`. */
  inOptions: string | undefined;
}

const wholeNumber = /\s*:\s*(-?\d+)\s*(?=[,}])/y;
const colon = /\s*:/y;

/** The digits of both seeds in the text. Of several with one name the last counts, as in JSON.parse. */
function seedDigits(json: string): SeedDigits {
  const found: SeedDigits = { own: undefined, inOptions: undefined };
  let depth = 0;
  let outerKey = '';
  for (let at = 0; at < json.length; at++) {
    const character = json.charAt(at);
    if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (character !== '"') continue;
    const end = endOfText(json, at);
    if (end < 0) return found;
    const text = json.slice(at + 1, end);
    at = end;
    colon.lastIndex = end + 1;
    if (depth > 2 || !colon.test(json)) continue;
    if (text === 'seed' && (depth === 1 || outerKey === 'options')) {
      wholeNumber.lastIndex = end + 1;
      found[depth === 1 ? 'own' : 'inOptions'] = wholeNumber.exec(json)?.[1];
    }
    if (depth === 1) outerKey = text;
  }
  return found;
}

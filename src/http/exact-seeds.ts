import { isJsonObject } from '../json-object.ts';
import { endOfText } from './json-size.ts';

/** As many digits as a 64-bit integer has; a longer number is left to the check of its field. */
const longestSeed = 20;

/**
 * A parsed body whose seeds have all of their digits: a number past 2^53, such as a time in nanoseconds, loses its last
 * ones in JSON.parse. Such a seed becomes a bigint. Bodies without one are given back as they are, after one search.
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
  /** Ollama's clients send it among the options. */
  inOptions: string | undefined;
}

const wholeNumber = /\s*:\s*(-?\d+)\s*(?=[,}])/y;
const colon = /\s*:/y;

/** The digits of both seeds as they stand in the text; the last of a name counts, as for JSON.parse. */
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

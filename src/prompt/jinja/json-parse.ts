import { PyFloat, type Value } from './values.ts';

const numberPattern = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const maximalDepth = 200;

/**
 * JSON as Python's `json.loads` reads it: `1.0` stays a float, long integers keep their digits, and keys their order
 * (JavaScript moves keys such as "1" to the front). Gives undefined where the text is not JSON.
 */
export function parseJson(text: string): Value | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const cursor = { text, at: 0 };
  return readValue(cursor, 0);
}

interface Cursor {
  readonly text: string;
  at: number;
}

// The text is known to be JSON, so every branch may trust what comes next.
function readValue(cursor: Cursor, depth: number): Value | undefined {
  if (depth > maximalDepth) return undefined;
  skipSpace(cursor);
  const character = cursor.text[cursor.at];
  if (character === '"') return readString(cursor);
  if (character === '{') return readObject(cursor, depth);
  if (character === '[') return readArray(cursor, depth);
  for (const [word, value] of [
    ['true', true],
    ['false', false],
    ['null', null],
  ] as const) {
    if (cursor.text.startsWith(word, cursor.at)) {
      cursor.at += word.length;
      return value;
    }
  }
  return readNumber(cursor);
}

function readNumber(cursor: Cursor): Value | undefined {
  numberPattern.lastIndex = cursor.at;
  const match = numberPattern.exec(cursor.text);
  if (match === null) return undefined;
  cursor.at += match[0].length;
  if (match[1] !== undefined || match[2] !== undefined) return new PyFloat(Number(match[0]));
  const integer = Number(match[0]);
  return Number.isSafeInteger(integer) ? integer : BigInt(match[0]);
}

function readString(cursor: Cursor): string {
  let end = cursor.at + 1;
  while (cursor.text[end] !== '"') end += cursor.text[end] === '\\' ? 2 : 1;
  const value = JSON.parse(cursor.text.slice(cursor.at, end + 1)) as string;
  cursor.at = end + 1;
  return value;
}

function readArray(cursor: Cursor, depth: number): Value | undefined {
  const items: Value[] = [];
  cursor.at++;
  skipSpace(cursor);
  while (cursor.text[cursor.at] !== ']') {
    const item = readValue(cursor, depth + 1);
    if (item === undefined) return undefined;
    items.push(item);
    skipSpace(cursor);
    if (cursor.text[cursor.at] === ',') cursor.at++;
  }
  cursor.at++;
  return items;
}

function readObject(cursor: Cursor, depth: number): Value | undefined {
  const members = new Map<Value, Value>();
  cursor.at++;
  skipSpace(cursor);
  while (cursor.text[cursor.at] !== '}') {
    const key = readString(cursor);
    skipSpace(cursor);
    cursor.at++;
    const value = readValue(cursor, depth + 1);
    if (value === undefined) return undefined;
    members.set(key, value);
    skipSpace(cursor);
    if (cursor.text[cursor.at] === ',') cursor.at++;
    skipSpace(cursor);
  }
  cursor.at++;
  return members;
}

function skipSpace(cursor: Cursor): void {
  while (' \t\n\r'.includes(cursor.text[cursor.at] ?? 'x')) cursor.at++;
}

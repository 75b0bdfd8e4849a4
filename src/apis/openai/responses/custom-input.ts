/** The start of the arguments of a custom tool, up to the text of its input. */
const opening = /^\s*\{\s*"input"\s*:\s*"/;

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/**
 * Reads the input of a custom tool from the JSON arguments of its function, as they come. Arguments of another shape are
 * the input themselves: nothing that the model wrote is lost.
 */
export class CustomInput {
  /** JSON that is not decoded yet. */
  #rest = '';
  /** A high surrogate whose other half has not come. */
  #half = '';
  #state: 'before' | 'inside' | 'after' = 'before';

  /** Adds a piece of the arguments. Returns the text that it adds to the input. */
  push(json: string): string {
    if (this.#state === 'after') return '';
    this.#rest += json;
    if (this.#state === 'before') {
      const [found] = opening.exec(this.#rest) ?? [];
      if (found === undefined) return '';
      this.#rest = this.#rest.slice(found.length);
      this.#state = 'inside';
    }
    return this.#decode();
  }

  /** All arguments have come. Returns the rest of the input. */
  end(): string {
    const rest = this.#state === 'before' ? wholeInput(this.#rest) : this.#half;
    this.#rest = '';
    this.#half = '';
    return rest;
  }

  #decode(): string {
    const json = this.#rest;
    let text = this.#half;
    let at = 0;
    for (let next = nextSpecial(json, at); ; next = nextSpecial(json, at)) {
      text += json.slice(at, next);
      at = next;
      if (at === json.length) break;
      if (json[at] === '"') {
        this.#state = 'after';
        this.#rest = '';
        this.#half = '';
        return text;
      }
      const size = json[at + 1] === 'u' ? 6 : 2;
      if (at + size > json.length) break;
      text += unescaped(json.slice(at + 1, at + size));
      at += size;
    }
    this.#rest = json.slice(at);
    this.#half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? '';
    return text.slice(0, text.length - this.#half.length);
  }
}

/** The index of the next quote or escape; the length if there is none. */
function nextSpecial(json: string, from: number): number {
  for (let at = from; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === 0x22 || code === 0x5c) return at;
  }
  return json.length;
}

/** The character of an escape, without its backslash. */
function unescaped(escape: string): string {
  const [kind = ''] = escape;
  if (kind !== 'u') return escapes[kind] ?? kind;
  const code = Number.parseInt(escape.slice(1), 16);
  return Number.isNaN(code) ? `\\${escape}` : String.fromCharCode(code);
}

/** The input in complete arguments of another shape: their member `input`, or their text. */
function wholeInput(json: string): string {
  try {
    const value = JSON.parse(json) as unknown;
    if (typeof value === 'string') return value;
    const { input } = (value ?? {}) as { readonly input?: unknown };
    if (typeof input === 'string') return input;
  } catch {
    // Not JSON: the text is the input.
  }
  return json;
}

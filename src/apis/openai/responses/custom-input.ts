/** The start of the arguments of a custom tool, up to the text of its input, without white space. */
const opening = '{"input":"';
/** The indexes in it that white space may come before. */
const gaps: ReadonlySet<number> = new Set([0, 1, 8, 9]);

/** What comes after the closing quote of the input: the end of the arguments, or another member. */
const closing = /^[\s}]*$|^\s*,\s*(?:$|"[^"]{0,64}(?:$|"\s*:))/;

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/**
 * Reads the input of a custom tool from the JSON arguments of its function, as they come. Arguments of another shape are
 * the input themselves, and quotes that the model did not escape are a part of the input. Left out are other members,
 * what comes after the end of the arguments, and an escape that the token limit cut.
 */
export class CustomInput {
  /** JSON that is not decoded yet. */
  #rest = '';
  /** How many characters of the opening have come. */
  #matched = 0;
  /** A high surrogate whose other half has not come. */
  #half = '';
  /** `other`: the arguments have another shape. */
  #state: 'before' | 'inside' | 'after' | 'other' = 'before';

  /** Adds a piece of the arguments. Returns the text that it adds to the input. */
  push(json: string): string {
    if (this.#state === 'before') return this.#open(json);
    this.#rest += json;
    return this.#state === 'inside' ? this.#decode() : '';
  }

  /** All arguments have come. Returns the rest of the input. */
  end(): string {
    const rest = this.#ending();
    this.#rest = '';
    this.#half = '';
    return rest;
  }

  #ending(): string {
    if (this.#state === 'inside') return this.#half;
    return this.#state === 'after' ? textAfter(this.#rest) : wholeInput(this.#rest);
  }

  /** Looks for the opening. Each character is read once: it may take long to come. */
  #open(json: string): string {
    for (let at = 0; at < json.length; at++) {
      const character = json[at] as string;
      if (character === opening[this.#matched]) this.#matched++;
      else if (!(gaps.has(this.#matched) && /\s/.test(character))) {
        this.#state = 'other';
        break;
      }
      if (this.#matched < opening.length) continue;
      this.#state = 'inside';
      this.#rest = json.slice(at + 1);
      return this.#decode();
    }
    this.#rest += json;
    return '';
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
        this.#rest = json.slice(at + 1);
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

/** The text of the input after a quote, if the model did not escape that quote: all up to the last quote. */
function textAfter(json: string): string {
  if (closing.test(json)) return '';
  const last = /"[\s}]*$/.exec(json);
  if (!last && /^\s*\}/.test(json)) return '';
  const text = json.slice(0, last?.index);
  return `"${text.replace(/\\(?:u[^]{4}|[^])/g, (escape) => unescaped(escape.slice(1)))}`;
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

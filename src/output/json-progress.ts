type NumberState =
  | 'minus'
  | 'zero'
  | 'digits'
  | 'point'
  | 'fraction'
  | 'exponent'
  | 'exponent-sign'
  | 'exponent-digits';

type State =
  | NumberState
  | 'value'
  | 'first-item'
  | 'first-key'
  | 'key'
  | 'colon'
  | 'after-value'
  | 'string'
  | 'escape'
  | 'hex'
  | 'literal';

const spaces = ' \t\n\r';
const literals: Readonly<Record<string, string>> = { t: 'rue', f: 'alse', n: 'ull' };
const numberEnds: ReadonlySet<State> = new Set<State>(['zero', 'digits', 'fraction', 'exponent-digits']);

/** Reads JSON as it comes, and says at the first character that no further text can make it right. */
export class JsonProgress {
  readonly #mustBeObject: boolean;
  /** The brackets that are open. */
  readonly #open: ('{' | '[')[] = [];
  #state: State = 'value';
  #isKey = false;
  /** What is left of a literal, or how many digits of an escape. */
  #literal = '';
  #hexLeft = 0;
  #hasStarted = false;

  constructor({ mustBeObject = false } = {}) {
    this.#mustBeObject = mustBeObject;
  }

  /** Whether what was read so far is complete JSON. */
  get isComplete(): boolean {
    if (this.#open.length > 0) return false;
    return this.#hasStarted && (this.#state === 'after-value' || numberEnds.has(this.#state));
  }

  /** Reads on; false: it is not JSON, whatever follows. */
  push(text: string): boolean {
    for (let at = 0; at < text.length; at++) if (!this.#read(text[at] as string)) return false;
    return true;
  }

  #read(character: string): boolean {
    switch (this.#state) {
      case 'string':
        return this.#string(character);
      case 'escape':
        return this.#escape(character);
      case 'hex':
        if (--this.#hexLeft === 0) this.#state = 'string';
        return /[0-9a-fA-F]/.test(character);
      case 'literal':
        return this.#literalGoesOn(character);
      case 'value':
      case 'first-item':
        return spaces.includes(character) || this.#value(character);
      case 'first-key':
      case 'key':
        return spaces.includes(character) || this.#key(character);
      case 'colon':
        if (character === ':') this.#state = 'value';
        return character === ':' || spaces.includes(character);
      case 'after-value':
        return spaces.includes(character) || this.#afterValue(character);
      case 'minus':
      case 'zero':
      case 'digits':
      case 'point':
      case 'fraction':
      case 'exponent':
      case 'exponent-sign':
      case 'exponent-digits':
        return this.#number(this.#state, character);
    }
  }

  #value(character: string): boolean {
    if (character === ']' && this.#state === 'first-item') return this.#close('[');
    if (!this.#hasStarted && this.#mustBeObject && character !== '{') return false;
    this.#hasStarted = true;
    if (character === '{' || character === '[') {
      this.#open.push(character);
      this.#state = character === '{' ? 'first-key' : 'first-item';
      return true;
    }
    if (character === '"') return this.#begin('string');
    if (character === '-') return this.#begin('minus');
    if (character === '0') return this.#begin('zero');
    if (character >= '1' && character <= '9') return this.#begin('digits');
    const rest = Object.hasOwn(literals, character) ? literals[character] : undefined;
    this.#literal = rest ?? '';
    return rest !== undefined && this.#begin('literal');
  }

  #begin(state: State): boolean {
    this.#state = state;
    return true;
  }

  #key(character: string): boolean {
    if (character === '}' && this.#state === 'first-key') return this.#close('{');
    this.#isKey = true;
    return character === '"' && this.#begin('string');
  }

  #afterValue(character: string): boolean {
    const innermost = this.#open.at(-1);
    if (character === ',') return innermost !== undefined && this.#begin(innermost === '{' ? 'key' : 'value');
    return (character === '}' && this.#close('{')) || (character === ']' && this.#close('['));
  }

  #close(bracket: '{' | '['): boolean {
    if (this.#open.at(-1) !== bracket) return false;
    this.#open.pop();
    return this.#begin('after-value');
  }

  #string(character: string): boolean {
    if (character === '\\') return this.#begin('escape');
    if (character !== '"') return character >= ' ';
    this.#state = this.#isKey ? 'colon' : 'after-value';
    this.#isKey = false;
    return true;
  }

  #escape(character: string): boolean {
    if (character !== 'u') return this.#begin('string') && '"\\/bfnrt'.includes(character);
    this.#hexLeft = 4;
    return this.#begin('hex');
  }

  #literalGoesOn(character: string): boolean {
    if (!this.#literal.startsWith(character)) return false;
    this.#literal = this.#literal.slice(1);
    if (this.#literal === '') this.#state = 'after-value';
    return true;
  }

  #number(state: NumberState, character: string): boolean {
    const next = numberStep(state, character);
    if (next) return this.#begin(next);
    if (!numberEnds.has(state)) return false;
    this.#state = 'after-value';
    return this.#read(character);
  }
}

/** The next state of a number; undefined: the character cannot follow here. */
function numberStep(state: NumberState, character: string): NumberState | undefined {
  const isDigit = character >= '0' && character <= '9';
  const beginsExponent = character === 'e' || character === 'E';
  switch (state) {
    case 'minus':
      if (!isDigit) return undefined;
      return character === '0' ? 'zero' : 'digits';
    case 'zero':
    case 'digits':
      if (character === '.') return 'point';
      if (beginsExponent) return 'exponent';
      return isDigit && state === 'digits' ? 'digits' : undefined;
    case 'point':
      return isDigit ? 'fraction' : undefined;
    case 'fraction':
      if (beginsExponent) return 'exponent';
      return isDigit ? 'fraction' : undefined;
    case 'exponent':
      if (character === '+' || character === '-') return 'exponent-sign';
      return isDigit ? 'exponent-digits' : undefined;
    case 'exponent-sign':
    case 'exponent-digits':
      return isDigit ? 'exponent-digits' : undefined;
  }
}

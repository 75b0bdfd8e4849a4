type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'set'; readonly isNegated: boolean; readonly ranges: readonly (readonly [number, number])[] }
  | { readonly kind: 'rule'; readonly name: string }
  | { readonly kind: 'all'; readonly nodes: readonly Node[] }
  | { readonly kind: 'one'; readonly nodes: readonly Node[] }
  | { readonly kind: 'times'; readonly node: Node; readonly least: number; readonly most: number };

const sample = [0x61, 0x62, 0x30, 0x20, 0x2d, 0xe9, 0x3000, 0x1f600];

/** For tests: texts of a grammar in llama.cpp's notation, as far as this folder writes it. */
export class GbnfSampler {
  readonly #rules = new Map<string, Node>();
  readonly #random: () => number;

  constructor(grammar: string, random: () => number) {
    this.#random = random;
    for (const line of grammar.split('\n')) {
      const [name = '', body = ''] = line.split(/ ::= (.*)/s);
      this.#rules.set(name, new RuleParser(body).parse());
    }
  }

  /** One text; undefined where it grew without end. */
  text(): string | undefined {
    let budget = 3000;
    const below = (count: number): number => Math.floor(this.#random() * count);
    const write = (node: Node): string => {
      if (--budget < 0) throw new RangeError('too long');
      if (node.kind === 'text') return node.text;
      if (node.kind === 'all') return node.nodes.map(write).join('');
      if (node.kind === 'one') return write(node.nodes.at(below(node.nodes.length)) as Node);
      if (node.kind === 'times')
        return Array.from({ length: node.least + below(Math.min(node.most - node.least, 2) + 1) }, () =>
          write(node.node),
        ).join('');
      if (node.kind === 'set') return character(node, below);
      const rule = this.#rules.get(node.name);
      if (!rule) throw new Error(`no rule ${node.name}`);
      return write(rule);
    };
    try {
      return write({ kind: 'rule', name: 'root' });
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }
}

function character(set: Extract<Node, { kind: 'set' }>, below: (count: number) => number): string {
  const has = (code: number): boolean => set.ranges.some(([from, to]) => code >= from && code <= to);
  if (set.isNegated) {
    const allowed = sample.filter((code) => !has(code));
    return String.fromCodePoint(allowed.at(below(allowed.length)) as number);
  }
  const [from, to] = set.ranges.at(below(set.ranges.length)) as readonly [number, number];
  return String.fromCodePoint(from + below(to - from + 1));
}

class RuleParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): Node {
    const node = this.#either();
    if (this.#at < this.#text.length) throw new Error(`not understood: ${this.#text.slice(this.#at)}`);
    return node;
  }

  #either(): Node {
    const nodes = [this.#sequence()];
    while (this.#text[this.#at] === '|') {
      this.#at++;
      nodes.push(this.#sequence());
    }
    return { kind: 'one', nodes };
  }

  #sequence(): Node {
    const nodes: Node[] = [];
    for (;;) {
      while (this.#text[this.#at] === ' ') this.#at++;
      const next = this.#text[this.#at];
      if (next === undefined || next === '|' || next === ')') return { kind: 'all', nodes };
      nodes.push(this.#repeated(this.#atom(next)));
    }
  }

  #atom(next: string): Node {
    if (next === '(') {
      this.#at++;
      const node = this.#either();
      this.#at++;
      return node;
    }
    if (next === '"') return this.#literal();
    if (next === '[') return this.#set();
    const [name = ''] = /^[a-z0-9]+/.exec(this.#text.slice(this.#at, this.#at + 40)) ?? [];
    if (name === '') throw new Error(`not understood: ${this.#text.slice(this.#at)}`);
    this.#at += name.length;
    return { kind: 'rule', name };
  }

  #literal(): Node {
    let text = '';
    for (this.#at++; this.#text[this.#at] !== '"'; ) text += String.fromCodePoint(this.#code());
    this.#at++;
    return { kind: 'text', text };
  }

  #set(): Node {
    const ranges: [number, number][] = [];
    this.#at++;
    const isNegated = this.#text[this.#at] === '^';
    if (isNegated) this.#at++;
    while (this.#text[this.#at] !== ']') {
      const from = this.#code();
      const isRange = this.#text[this.#at] === '-' && this.#text[this.#at + 1] !== ']';
      if (isRange) this.#at++;
      ranges.push([from, isRange ? this.#code() : from]);
    }
    this.#at++;
    return { kind: 'set', isNegated, ranges };
  }

  #code(): number {
    const rest = this.#text.slice(this.#at, this.#at + 10);
    const hex = /^\\(?:x(\w{2})|u(\w{4})|U(\w{8}))/.exec(rest);
    if (hex) this.#at += hex[0].length;
    else this.#at += rest.startsWith('\\') ? 2 : String.fromCodePoint(rest.codePointAt(0) as number).length;
    if (hex) return Number.parseInt(hex.slice(1).join(''), 16);
    return (rest.startsWith('\\') ? rest.codePointAt(1) : rest.codePointAt(0)) as number;
  }

  #repeated(node: Node): Node {
    const mark = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(this.#text.slice(this.#at, this.#at + 20));
    if (!mark) return node;
    this.#at += mark[0].length;
    const [sign, least, comma, most] = mark;
    if (least === undefined) return { kind: 'times', node, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : 99 };
    const last = comma === '' ? Number(least) : most === '' ? Number(least) + 99 : Number(most);
    return { kind: 'times', node, least: Number(least), most: last };
  }
}

import { describe, expect, it } from 'vitest';
import { GrammarError } from './grammar-reader.ts';
import { sharedGrammar } from './vllm-grammar.ts';

const written = (text: string) => sharedGrammar(text, { allowsLeftRecursion: true });

function errorOf(text: string, allowsLeftRecursion = true): string {
  try {
    sharedGrammar(text, { allowsLeftRecursion });
    return 'none';
  } catch (error) {
    if (!(error instanceof GrammarError)) throw error;
    return error.message;
  }
}

describe('a grammar in EBNF', () => {
  it.each([
    ['root ::= "a"', 'root ::= "a"'],
    ['# a remark\nroot ::= "a" # more\r\n  | "b"\n', 'root ::= "a" | "b"'],
    ['root ::= start-rule\nstart-rule ::= "x"', 'root ::= r1\nr1 ::= "x"'],
    ['a ::= true false\ntrue ::= "t"\nroot ::= a\nfalse ::= "f"', 'r0 ::= r1 r3\nr1 ::= "t"\nroot ::= r0\nr3 ::= "f"'],
    ['root ::= ("a" | ) [^a-z]? "b"*', 'root ::= ("a" | "") [^a-z]? "b"*'],
    ['root ::= "a"{2} "b"{ 1, } "c"{0,3}', 'root ::= "a"{2} "b"+ "c"{0,3}'],
    ['root ::= "\\u00e9\\x41\\n\\"\\\\ \\U0001F600"', 'root ::= "éA\\n\\"\\\\ 😀"'],
    ['root ::= ["\\\\/bf] [-a] [\\]\\-^]', 'root ::= [bf\\x22\\x5c\\x2f] [a\\x2d] [\\x5d\\x2d\\x5e]'],
    ['root ::= "\\x07a"* [\\x01-\\x1f]', 'root ::= ([\\x07] "a")* [\\x01-\\x1f]'],
    ['root ::= (("a"?)+){2}', 'root ::= n0{2}\nn0 ::= n1+\nn1 ::= "a"?'],
    ['root ::= [一-龥]+ "é"', 'root ::= [一-龥]+ "é"'],
    ['root ::= root "+" [0-9] | [0-9]', 'root ::= root "+" [0-9] | [0-9]'],
    ['root ::= ""', 'root ::= ""'],
    ['root ::= "a"\nunused ::= "b"', 'root ::= "a"\nr1 ::= "b"'],
  ])('is written in what the libraries share: %j', (text, expected) => {
    expect(written(text)).toBe(expected);
  });

  it('is written the same again', () => {
    const text = 'root ::= r1* (("a"?)+){2}\nr1 ::= [^"\\\\\\x01-\\x1f] | "\\\\" ["\\\\/bfnrt]';
    expect(written(written(text)).split('\n').length).toBe(4);
    expect(written(written(written(text)))).toBe(written(written(text)));
  });
});

describe('a grammar that is not valid', () => {
  it.each([
    ['', 'has no rule root, which is where a response begins.'],
    [' # nothing\n', 'has no rule root, which is where a response begins.'],
    ['a ::= "x"', 'has no rule root, which is where a response begins.'],
    ['root ::= "a"\n\nlist ::= item*', 'line 3, rule list: the rule item is not defined.'],
    ['root ::= "a"\nroot ::= "b"', 'line 2, rule root: it is defined twice.'],
    ['root ::=\nb ::= "a"', 'line 1, rule root: it is empty: write "" for no text.'],
    ['root ::= "a', 'line 1, rule root: a text has no closing ".'],
    ['root ::= "a\n"', 'line 1, rule root: a text has no closing ".'],
    ['root ::= [a', 'line 1, rule root: a class has no closing ].'],
    ['root ::= []', 'line 1, rule root: a class must not be empty.'],
    ['root ::= [z-a]', 'line 1, rule root: a range in a class ends before it begins.'],
    ['root ::= [\\d]', 'line 1, rule root: the escape \\d is not supported.'],
    ['root ::= "\\q"', 'line 1, rule root: the escape \\q is not supported.'],
    ['root ::= "\\x0"', 'line 1, rule root: the escape \\x is not supported.'],
    ['root ::= "a\\x00"', 'line 1, rule root: the character U+0000 is not supported.'],
    ['root ::= "\\ud800"', 'line 1, rule root: a character is not valid Unicode.'],
    ['root ::= ("a"\nb ::= "c"', 'line 1, rule root: there is a ( without its ).'],
    ['root ::= "a")', 'line 1, rule root: there is a ) without its (.'],
    ['root ::= (="a")', 'line 1, rule root: look-ahead is not supported.'],
    ['root ::= .*', 'line 1, rule root: the wildcard . is not supported: write a class such as [^\\n].'],
    ['root ::= "a"**', 'line 1, rule root: a repetition cannot be repeated without ( ).'],
    ['root ::= *', 'line 1, rule root: unexpected "*".'],
    ['root ::= "a"{,3}', 'line 1, rule root: a repetition is written {3}, {3,} or {3,5}.'],
    ['root ::= "a"{5,2}', 'line 1, rule root: the repetition {5,2} allows nothing.'],
    ['root ::= "a"{99999}', 'line 1, rule root: a repetition of more than 10000 is not supported.'],
    ['root ::= ("a"{1000}){1000}', 'repeats too much: written out it has more than 100000 characters.'],
    ['root ::= "a" b ::= "c"', 'line 1: each rule must begin on a line of its own.'],
    ['root = "a"', 'line 1: expected a rule such as root ::= "text", not " = \\"a\\"".'],
    ['root ::= a\na ::= "x" b\nb ::= a', 'line 1, rule root: it never ends: each alternative needs the rule itself.'],
    [`root ::= ${'('.repeat(65)}"a"${')'.repeat(65)}`, 'line 1, rule root: groups are nested more than 64 deep.'],
    [`root ::= "${'a'.repeat(65_536)}"`, 'is longer than 65536 characters.'],
    [
      `root ::= "a"\n${Array.from({ length: 1000 }, (_, at) => `a${at} ::= "a"`).join('\n')}`,
      'has more than 1000 rules.',
    ],
  ])('is refused with the rule and the line: %j', (text, message) => {
    expect(errorOf(text)).toBe(message);
  });

  it.each(['start: "a"', '?start: word\nword: /[a-z]+/', '%import common.INT\nx: INT'])('is Lark: %j', (text) => {
    expect(errorOf(text)).toBe(
      'is in the notation of Lark. Write it as EBNF: rules such as root ::= "text", one named root.',
    );
  });

  it.each([
    'root ::= root "a" | "b"',
    'root ::= x\nx ::= "" y\ny ::= ("a"? x) | "b"',
    'root ::= "x"\na ::= (b | "c") "d"\nb ::= [z]* a | "e"',
  ])('begins with itself, where the release does not support that: %j', (text) => {
    expect([errorOf(text, true), errorOf(text, false)]).toEqual([
      'none',
      expect.stringMatching(/begins with itself, which this release does not support\.$/),
    ]);
  });

  it('may call itself later', () => {
    expect(errorOf('root ::= "a" root | "b"\nx ::= "(" x ")" | ""', false)).toBe('none');
  });
});

import { describe, expect, it } from 'vitest';
import { parseGbnf } from './gbnf.ts';
import { jsonObjectGrammar } from './json-rules.ts';
import { structuredGrammar } from './structured-output.ts';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);
const doubled = (between: string, last: string, count = 20): string =>
  [
    'root ::= r0',
    ...numbers(count).map((at) => `r${at} ::= r${at + 1} ${between} r${at + 1}`),
    `r${count} ::= ${last}`,
  ].join('\n');
const inputFor = (grammar: string): string | undefined => structuredGrammar(JSON.stringify({ grammar }));

describe('parseGbnf', () => {
  it('makes rules of groups and of what is repeated', () => {
    const text = String.raw`# A comment
      root ::= "a\x62" [^c-d\]]? # another
      word ::= (.|
        root){1,2} word*`;
    const { rules, root } = parseGbnf(text.replaceAll(/^ {6}(?=\w)/gm, ''));
    const any = [[0, 0x10ffff]];
    expect(root).toBe(rules[0]);
    expect(rules).toEqual([
      { name: 'root', sequences: [[[[0x61, 0x61]], [[0x62, 0x62]], 1]], isLoop: false },
      {
        name: 'root',
        sequences: [
          [
            [
              [0, 0x5c],
              [0x5e, 0x62],
              [0x65, 0x10ffff],
            ],
          ],
          [],
        ],
        isLoop: false,
      },
      { name: 'word', sequences: [[3, 4, 5]], isLoop: false },
      { name: 'word', sequences: [[any], [0]], isLoop: false },
      { name: 'word', sequences: [[3], []], isLoop: false },
      { name: 'word', sequences: [[2, 5], []], isLoop: true },
    ]);
  });

  it.each([
    ['root ::= "a', 'expected a character at line 1, column 12'],
    ['root ::= ("a"', 'expected ) at line 1, column 14'],
    ['root ::= *', 'expected a valid repetition'],
    ['root ::= "a"{3,2}', 'expected a valid repetition'],
    ['root ::= "a"\nb = "c"', 'expected ::= at line 2, column 3'],
    ['root ::= a_b', 'expected the end of the rule at line 1, column 11'],
    ['root ::= []', 'expected a character before ]'],
    ['a ::= "b"', 'the rule root is missing'],
    ['root ::= "a" nowhere', 'the rule nowhere is not defined'],
  ])('refuses %j', (text, reason) => {
    expect(() => parseGbnf(text)).toThrow(reason);
  });
});

describe('grammars that llama.cpp would not come to an end with', () => {
  it.each([
    ['root ::= root "a" | "b"', 'the rule root is left-recursive'],
    ['root ::= a\na ::= b a "x" | "y"\nb ::= c\nc ::= "z" | ""', 'the rule a is left-recursive'],
    [doubled('', '"a"?'), 'can start in too many ways'],
    [doubled('|', '"a"'), 'can start in too many ways'],
    [doubled('|', '""'), 'can start in too many ways'],
    [doubled('', '"a"?', 8), 'can be parsed in more ways with each character'],
    [`root ::= (${'"a"? '.repeat(30)})*`, 'can be parsed in more ways with each character'],
    [`root ::= (${'"a"? '.repeat(300)})*`, 'can be parsed in more ways with each character'],
    ['root ::= (([a-z]?){1,10}){1,10} "."', 'can be parsed in more ways with each character'],
    ['root ::= "begin: " s\ns ::= "a" s "b" | "a" s "c" | "x"', 'the start of the rule s'],
    ['root ::= e\ne ::= t "+" e | t "-" e | t\nt ::= "(" e ")" | [0-9]+', 'can be parsed in more ways'],
    [
      ['root ::= r0', ...numbers(5000).map((at) => `r${at} ::= r${at + 1}`), 'r5000 ::= "a"'].join('\n'),
      'needs more than 4000 rules',
    ],
    [
      ['root ::= r0', ...numbers(900).map((at) => `r${at} ::= r${at + 1} "x"`), 'r900 ::= "a"'].join('\n'),
      'can start in too many ways',
    ],
  ])('refuses one that begins %.60j', (grammar, reason) => {
    expect(() => inputFor(grammar)).toThrow(reason);
  });

  it('takes no time over it', () => {
    const start = process.cpuUsage();
    expect(() => inputFor(doubled('', '"a"?', 200))).toThrow('too many ways');
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(1500);
  });
});

describe('grammars that are in use', () => {
  const levels = numbers(15).map((at) => `e${at} ::= e${at + 1} (ws "o${at}" ws e${at + 1})*`);

  it.each([
    ['JSON', jsonObjectGrammar],
    [
      'expressions of 15 levels',
      ['root ::= e0', ...levels, 'e15 ::= [0-9]+ | [a-z]+ | "(" ws e0 ws ")"', String.raw`ws ::= [ \t\n]*`].join('\n'),
    ],
    [
      'moves of chess',
      String.raw`root ::= ([1-9] [0-9]? ". " move " " move "\n")+
move ::= (pawn | piece | "O-O" "-O"?) [+#]?
piece ::= [NBKQR] [a-h]? [1-8]? "x"? [a-h] [1-8]
pawn ::= ([a-h] "x")? [a-h] [1-8] ("=" [NBKQR])?`,
    ],
    [
      'a language like C',
      String.raw`root ::= function+
function ::= type name "(" (type name ("," ws type name)*)? ")" ws block
block ::= "{" ws statement* "}" ws
statement ::= "return" sp expression ";" ws | "if" ws "(" expression ")" ws block ("else" ws block)? | assignment | "/*" ([^*] | "*" [^/])* "*/" ws
assignment ::= (type)? name ws "=" ws expression ";" ws
expression ::= sum (("<=" | "<" | "==") sum)?
sum ::= product ([+-] product)*
product ::= factor ([*/] factor)*
factor ::= name | [0-9]+ | "-" factor | name "(" (expression ("," ws expression)*)? ")" | "(" expression ")"
type ::= ("int" | "float" | "char") sp
name ::= [a-zA-Z] [a-zA-Z0-9]*
sp ::= [ \t\n]+
ws ::= [ \t\n]*`,
    ],
    ['words and sentences', 'root ::= (word (" " word)* [.!?] " "?)+\nword ::= [A-Za-z]+ ("-" [A-Za-z]+)*'],
    [
      'a thousand words',
      `root ::= ${numbers(1000)
        .map((at) => `"word ${at}"`)
        .join(' | ')}`,
    ],
  ])('are taken: %s', (_, grammar) => {
    expect(inputFor(grammar)).toBe(grammar);
  });

  it('are taken where Conch makes them of large schemas and of patterns', () => {
    const properties = Object.fromEntries(numbers(600).map((at) => [`p${at}`, { type: 'string' }]));
    expect(structuredGrammar(JSON.stringify({ json: { type: 'object', properties } }))).toContain('root ::=');
    for (const regex of [
      '(a+)+b',
      String.raw`(\w+\s?)*`,
      String.raw`(/[\w.-]+)+/?`,
      String.raw`\d+\.\d+(-[a-z-]+(\.[a-z-]+)*)?`,
    ])
      expect(structuredGrammar(JSON.stringify({ regex }))).toContain('root ::=');
  });
});

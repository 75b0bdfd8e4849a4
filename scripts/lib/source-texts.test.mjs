import { describe, expect, it } from 'vitest';
import { readSource } from './source-texts.mjs';

/**
 * The texts of a source as "line: text".
 * @param {string} source
 * @param {string} [file]
 */
const textsOf = (source, file = 'src/a.ts') =>
  readSource(file, source).texts.map(({ line, text }) => `${line}: ${text}`);

describe('texts', () => {
  it('are strings, templates and JSX of several words', () => {
    const source = [
      "import { a } from './module.ts';",
      "const code = 'x-conch-ignored';",
      "const error = 'Set the port.';",
      'const text = `The ${code} of ${error}.`;',
      'const view = <p title="Close the dialog">Press a <b>key</b></p>;',
    ].join('\n');
    expect(textsOf(source, 'web/a.tsx')).toEqual([
      '3: Set the port.',
      '4: The `…` of `…`.',
      '5: Close the dialog',
      '5: Press a ',
    ]);
  });

  it('are comments: successive lines as one, without marks, code and directives', () => {
    const source = [
      '// Reads the',
      '// whole file.',
      'const a = 1; // of the file',
      '/**',
      ' * Reads `the code` again.',
      ' *',
      ' * Two paragraphs.',
      ' * @param {string} file to read',
      ' */',
      '// oxlint-disable-next-line no-console -- for people',
      'const b = 2;',
    ].join('\n');
    expect(textsOf(source)).toEqual([
      '1: Reads the\n whole file.',
      '3: of the file',
      '5: Reads `…` again.',
      '7: Two paragraphs.',
      '8: to read',
    ]);
  });
});

it('reads the names that a source declares, with that of the file', () => {
  const source = [
    'interface Place { readonly offset: number; read(): void }',
    'type Kind = Place;',
    'class Reader { #at = 0; at = 1; next(count: number) {} }',
    'function read({ one, two: other = 1, ...rest }: Place, [first]: number[]) {}',
    'const use = (value: Kind) => value;',
  ].join('\n');
  expect(readSource('src/http/own-page.ts', source).names.map(({ line, name }) => `${line}: ${name}`)).toEqual([
    '1: own-page',
    '1: Place',
    '1: offset',
    '1: read',
    '2: Kind',
    '3: Reader',
    '3: at',
    '3: at',
    '3: next',
    '3: count',
    '4: read',
    '4: one',
    '4: other',
    '4: rest',
    '4: first',
    '5: use',
    '5: value',
  ]);
});

it('names the file that it cannot read', () => {
  expect(() => readSource('src/a.ts', 'const = ;')).toThrow(/^src\/a\.ts: /);
});

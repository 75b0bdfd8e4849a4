import type { YAMLError } from 'yaml';

/** What is wrong with a text that is no YAML, one line for each place: what follows from a mistake stands at its place too. */
export function syntaxProblems(errors: readonly YAMLError[], place: (offset: number) => string): string[] {
  const byPlace = new Map<string, string>();
  for (const { code, pos } of errors) {
    const at = place(pos[0]);
    if (!byPlace.has(at)) byPlace.set(at, `${at}: ${words[code] ?? 'this is not valid YAML'}.`);
  }
  return [...byPlace.values()];
}

const twice = 'a value has one anchor (&) and one tag (!) at most';

// The parser's own sentences may repeat what stands in the file, which may be a secret.
const words: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  DUPLICATE_KEY: 'this key is given twice',
  MULTIPLE_DOCS: 'the file must be one document',
  TAB_AS_INDENT: 'YAML is indented with spaces, not with tabs',
  BAD_INDENT: 'the indentation does not fit',
  MISSING_CHAR: 'a character is missing here, such as a closing bracket, quote or comma',
  UNEXPECTED_TOKEN: 'this is not expected here',
  BLOCK_AS_IMPLICIT_KEY: 'a key and a value are not expected here; a value that holds ": " is put in quotes',
  BLOCK_IN_FLOW: 'lists and maps between brackets are written with brackets',
  MULTILINE_IMPLICIT_KEY: 'a key, a colon and a space are expected in this line',
  KEY_OVER_1024_CHARS: 'this key is too long, or a quote is missing',
  BAD_SCALAR_START: 'a value that begins with @ or ` is put in quotes',
  BAD_DQ_ESCAPE: 'this text has a \\ that means nothing; write \\\\, or put the text in single quotes',
  MULTIPLE_ANCHORS: twice,
  MULTIPLE_TAGS: twice,
};

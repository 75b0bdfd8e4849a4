import type { CharacterSet } from '../patterns/character-set.ts';
import { fullMatch } from '../patterns/full-match.ts';
import { longestWrittenOut, type Pattern, PatternError, writtenOut } from '../patterns/pattern.ts';
import { readPattern } from '../patterns/read-pattern.ts';
import { type WrittenPattern, writeLiteral, writePattern } from '../patterns/write-pattern.ts';
import { guideError, hasHalfPair, memberPath } from './vllm-guide-path.ts';

/** JSON writes these with a backslash, which xgrammar takes for a part of the string and llguidance does not. */
const escapedInJson: CharacterSet = [
  [0, 0x1f],
  [0x22, 0x22],
  [0x5c, 0x5c],
];
const anyText: Pattern = { kind: 'repeat', item: { kind: 'set', set: [[0, 0x10ffff]] }, least: 0, most: undefined };

/** A regular expression that a whole response must match. */
export function writeRegex(source: string, path: string): WrittenPattern {
  const written = writePattern(readAt(source, path));
  if (!written) throw guideError(path, 'matches no text.');
  checkLength(written, path);
  return written;
}

/** The `pattern` of a JSON schema, for the whole of a string between its quotation marks. */
export function writeStringPattern(source: string, path: string): WrittenPattern {
  const written = writePattern(readAt(source, path, anyText), escapedInJson);
  if (written) {
    checkLength(written, path);
    return { ...written, text: `^(?:${written.text})$` };
  }
  throw guideError(
    path,
    'needs a quotation mark, a backslash or a control character, which the structured output libraries of this ' +
      'backend write in different ways inside JSON. Leave them out of the pattern.',
  );
}

/** Far more than patterns have that people write: nested ranges of groups are written twice. */
const longestText = 100_000;

function checkLength({ text }: WrittenPattern, path: string): void {
  if (text.length > longestText)
    throw guideError(path, 'repeats too much: simplify its groups, and its classes of characters beyond ASCII.');
}

/** The most characters that all choices have together: a library takes long over more. */
const longestChoices = 256 * 1024;

/** Choices as one regular expression: of all guides it is the one that every library reads alike. */
export function writeChoices(choices: readonly string[], path: string): string {
  let length = 0;
  const texts = new Set<string>();
  for (const [at, choice] of choices.entries()) {
    length += choice.length;
    if (length > longestChoices)
      throw guideError(path, `has more than ${longestChoices} characters in all choices together.`);
    if (choice.includes('\0')) throw guideError(memberPath(path, at), 'must not contain the NUL character.');
    if (hasHalfPair(choice)) throw guideError(memberPath(path, at), 'contains half of a surrogate pair.');
    texts.add(writeLiteral(choice));
  }
  return [...texts].join('|');
}

function readAt(source: string, path: string, beside?: Pattern): Pattern {
  try {
    const pattern = readPattern(source);
    if (writtenOut(pattern) <= longestWrittenOut) return fullMatch(pattern, beside);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw guideError(
      path,
      `${error.message}. Use only what the structured output libraries of this backend share: ` +
        'groups, alternatives, classes and repetitions.',
    );
  }
  throw guideError(path, `repeats too much: written out it has more than ${longestWrittenOut} characters.`);
}

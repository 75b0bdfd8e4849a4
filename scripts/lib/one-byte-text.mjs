/** All that takes more than a byte in memory, with the backslashes before it. */
const WIDE = /(\\*)([^\0-\xff]+)/g;

/**
 * The same program without characters above U+00FF, of which a single one would double the memory that V8 takes for a
 * file. They become escapes, which mean the same in strings, templates, regular expressions and names, unless a
 * backslash stands before them or the template is raw: then it throws.
 * @param {string} code
 */
export function oneByteText(code) {
  const raw = /String\.raw`[^`]*[^\0-\xff]/.exec(code);
  if (raw) throw new Error(`A raw template has a character that cannot be escaped: ${raw[0].slice(0, 80)}`);
  return code.replace(WIDE, (all, backslashes, characters) => {
    if (backslashes.length % 2 === 1) throw new Error(`A backslash stands before ${JSON.stringify(characters)}.`);
    return backslashes + [...Array(characters.length).keys()].map((at) => escapeOf(characters.charCodeAt(at))).join('');
  });
}

/** @param {number} unit of UTF-16 */
function escapeOf(unit) {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

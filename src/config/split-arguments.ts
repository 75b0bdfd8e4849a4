/** One text with several arguments in its parts; the last one takes the rest, spaces and all. */
export function splitArguments(text: string, count: number): readonly string[] {
  const [first = '', rest = ''] = text.trim().split(/\s+(.*)/s);
  return count === 1 || rest === '' ? [text.trim()] : [first, ...splitArguments(rest, count - 1)];
}

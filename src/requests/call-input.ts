/**
 * Parses the arguments of a tool call. If the response was cut off within them, returns the complete part, as clients
 * read a stream. Text that is not JSON gives an empty object.
 */
export function inputOf(json: string): unknown {
  return parsed(json) ?? parsed(completed(json)) ?? {};
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** One token of JSON; a number counts only when something comes after it. */
const token = /\s*("[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|true|false|null|-?\d[\d.eE+-]*(?=[\s,\]}]))/sy;

/** The start of a JSON text up to its last whole value, with its brackets closed. */
function completed(json: string): string {
  const open: string[] = [];
  let isValue = true;
  let end = 0;
  token.lastIndex = 0;
  for (let match = token.exec(json); match; match = token.exec(json)) {
    const text = match[1] as string;
    if (text === '{' || text === '[') open.push(text === '{' ? '}' : ']');
    else if (text === '}' || text === ']') open.pop();
    // A string within an object is a key until its colon has come.
    const isWhole = text !== ',' && text !== ':' && (isValue || !text.startsWith('"'));
    if (isWhole) end = token.lastIndex;
    isValue = text === ':' || text === '[' || (text === ',' && open.at(-1) === ']');
  }
  // Each bracket is the end of a whole value itself, so none has come since.
  return json.slice(0, end) + open.toReversed().join('');
}

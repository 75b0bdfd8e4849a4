const quote = 0x22;
const backslash = 0x5c;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/** Whether lists and objects of a JSON text stand in each other deeper than allowed; texts in it are leapt over. */
export function nestsDeeper(json: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      at = endOfText(json, at);
      if (at < 0) return false;
    } else if (code === openingBracket || code === openingBrace) {
      if (++depth > most) return true;
    } else if (code === closingBracket || code === closingBrace) depth--;
  }
  return false;
}

/** Where the text that begins here ends; -1 where it does not. */
function endOfText(json: string, from: number): number {
  for (let at = from; ; ) {
    at = json.indexOf('"', at + 1);
    if (at < 0) return -1;
    let slashes = 0;
    while (json.charCodeAt(at - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return at;
  }
}

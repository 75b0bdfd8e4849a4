import { ApiError } from '../errors.ts';

/** How vLLM begins the error text of a guide that it or one of its libraries refuses; the reason may follow. */
const openings = [
  String.raw`Grammar error:`,
  String.raw`Failed to (?:convert the grammar from|transform) .{1,60}? (?:in)?to (?:a grammar|Lark|EBNF)\b[:.]?`,
  String.raw`The provided JSON schema contains features not supported by \w+\b\.?`,
  String.raw`Invalid (?:JSON )?(?:grammar|structural tag) specification[:.]?`,
].join('|');

const prefix = String.raw`(?:\[request id: [^\]]*\] )?(?:Error generating stream: )?(?:[\w.]*(?:Error|Exception): )?`;
const atStart = new RegExp(`^${prefix}(${openings})(.*)$`, 's');
const anywhere = new RegExp(`(${openings})(.*)$`, 's');

/**
 * The client's view of an error text that refuses the guide of a structured output; undefined: it is another error. The
 * param `guide` means the request field that has the guide. A text that begins with the refusal is one, whatever it quotes
 * of the request; with `isAnywhere` the refusal may follow other words.
 */
export function guideRefusal(text: string, { isAnywhere = false } = {}): ApiError | undefined {
  const match = (isAnywhere ? anywhere : atStart).exec(text);
  if (!match) return undefined;
  const [, opening = '', rest = ''] = match;
  const reason = reasonIn(rest) ?? reasonIn(opening.replace(/^Grammar error:$/, ''));
  const message = reason === undefined ? 'the backend refused it.' : `the backend refused it: ${ended(reason)}`;
  return new ApiError('invalid_request', `guide: ${message}`, { param: 'guide' });
}

const longestReason = 300;

/** Where the libraries put the time and the line of their own source. */
const origin = /^\[\d\d:\d\d:\d\d\] \S+?:\d+: /;

/** Lines that show the server and not the guide: tracebacks, paths, addresses. */
const internal =
  /Traceback|^\s*File "|\/(?:usr|opt|home|root|tmp|var|lib|workspace|project|mnt|models)\/|[A-Za-z]:\\\w|\.(?:py|cc|rs|cpp|so)\b|0x[0-9a-f]{6,}|\b\d{1,3}(?:\.\d{1,3}){3}\b|'NoneType'/;

/** The line of a text that says what is wrong: the one that a parser marks as its error, else the first. */
function reasonIn(text: string): string | undefined {
  const lines = text
    .split(/[\r\n]+/)
    .map((line) =>
      line
        .trim()
        .replace(origin, '')
        .replace(/^at \d+\(\d+\): /, ''),
    )
    .filter((line) => /\w/.test(line) && !internal.test(line));
  const marked = lines.find((line) => line.startsWith('error: '))?.slice('error: '.length);
  const line = (marked ?? lines[0])?.replace(/^[:.\s]+/, '');
  if (line === undefined || line === '') return undefined;
  return line.length > longestReason ? `${line.slice(0, longestReason)}…` : line;
}

function ended(reason: string): string {
  return /[.…!?]$/.test(reason) ? reason : `${reason}.`;
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TokenizeResult } from '../../generate/tokenize.ts';

/** Number of list entries that are written at once. */
const pieceLength = 20_000;

/** The response as JSON. A long one is written in pieces, so that it does not block other requests. */
export async function tokenizeResponseText({ tokens, maxModelLength, spellings }: TokenizeResult): Promise<string> {
  const ids = await listText(tokens.length, (from, to) => tokens.subarray(from, to).join());
  const texts =
    spellings &&
    (await listText(spellings.length, (from, to) => JSON.stringify(spellings.slice(from, to)).slice(1, -1)));
  return `{"count":${tokens.length},"max_model_len":${maxModelLength},"tokens":${ids},"token_strs":${texts}}`;
}

async function listText(length: number, write: (from: number, to: number) => string): Promise<string> {
  const pieces: string[] = [];
  for (let at = 0; at < length; at += pieceLength) {
    if (at > 0) await nextTurn();
    pieces.push(write(at, at + pieceLength));
  }
  return `[${pieces.join(',')}]`;
}

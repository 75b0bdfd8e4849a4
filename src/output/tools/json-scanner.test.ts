import { describe, expect, it } from 'vitest';
import { JsonScanner, type JsonState } from './json-scanner.ts';

function scan(pieces: readonly string[], scanner = new JsonScanner()): [string, JsonState] {
  let value = '';
  for (const piece of pieces) {
    const end = scanner.scan(piece, 0, piece.length);
    value += piece.slice(0, end);
    if (scanner.state !== 'open') break;
  }
  return [value, scanner.state];
}

describe('JsonScanner', () => {
  it.each([
    ['{"a": "}\\"]", "b": [1, {"c": null}]} rest', '{"a": "}\\"]", "b": [1, {"c": null}]}', 'closed'],
    ['[] rest', '[]', 'closed'],
    ['"a \\\\" rest', '"a \\\\"', 'closed'],
    ['"a\nb"', '"a\nb"', 'closed'],
    ['-1.5e+3, "b"', '-1.5e+3', 'closed'],
    ['true}', 'true', 'closed'],
    [' {"a": 1}', ' {"a": 1}', 'closed'],
    ['{"a": 1', '{"a": 1', 'open'],
    ['{"a": [1}', '{"a": [1', 'broken'],
    ['{"a": </call>', '{"a": ', 'broken'],
    ['}', '', 'broken'],
    [',', '', 'broken'],
  ] as const)('ends %j where it ends, however it is cut', (text, value, state) => {
    for (let at = 0; at <= text.length; at++) expect(scan([text.slice(0, at), text.slice(at)])).toEqual([value, state]);
    expect(scan(text.split(''))).toEqual([value, state]);
  });

  it('goes on within an object', () => {
    expect(scan([', "b": {}', '} rest'], JsonScanner.insideObject())).toEqual([', "b": {}}', 'closed']);
  });
});

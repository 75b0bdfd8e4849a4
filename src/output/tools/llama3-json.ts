import { MarkerFinder } from '../marker-finder.ts';
import { readBareCalls } from './bare-json.ts';
import { CompletionReader, type ReadGenerator } from './completion-reader.ts';
import type { ToolFormat } from './tool-parser.ts';

const PYTHON_TAG = '<|python_tag|>';
const SEPARATORS = [';', ','];

function* grammar(reader: CompletionReader): ReadGenerator<void> {
  const finder = new MarkerFinder([PYTHON_TAG, '{', '[']);
  for (;;) {
    const marker = yield* reader.textUntil(finder);
    if (marker === undefined) return;
    const isMarked = marker === PYTHON_TAG;
    if (!isMarked) reader.putBack(marker.length);
    do {
      yield* reader.skipSpace();
      if ((yield* readBareCalls(reader, { isMarked })) !== 'call') break;
      yield* reader.skipSpace();
    } while ((yield* reader.oneOf(SEPARATORS)) !== undefined);
  }
}

/**
 * Llama 3.x: `{"name": …, "parameters": {…}}`, several separated by `;` or in a list, with or without `<|python_tag|>`
 * before.
 */
export const llama3Json: ToolFormat = {
  name: 'llama3_json',
  aliases: ['llama3', 'llama4_json'],
  specialMarkers: [PYTHON_TAG],
  fits: (template) => template.includes(PYTHON_TAG) || template.includes('{"name": function name, "parameters"'),
  parser: (options) => new CompletionReader(options, grammar),
};

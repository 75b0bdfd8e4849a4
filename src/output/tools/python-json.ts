import { AnswerReader } from './answer-reader.ts';
import { NO_CHARACTER } from './characters.ts';
import { JsonStringWriter } from './json-text.ts';
import { readPythonValue } from './python-value.ts';

/** The JSON of a text that is one Python literal; undefined where it is none. */
export function pythonToJson(text: string): string | undefined {
  let json = '';
  let isLiteral = false;
  const reader = new AnswerReader({ tools: [], mostHeld: text.length + 1 }, function* (reader) {
    const isRead = yield* readPythonValue(reader, new JsonStringWriter(reader.giveArguments));
    yield* reader.skipSpace();
    isLiteral = isRead && (yield* reader.peek()) === NO_CHARACTER;
  });
  const sink = {
    text() {},
    beginCall() {},
    callArguments(fragment: string) {
      json += fragment;
    },
    endCall() {},
  };
  reader.push(text, sink);
  reader.end(sink);
  return isLiteral ? json : undefined;
}

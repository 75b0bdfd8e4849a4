import { NO_CHARACTER } from './characters.ts';
import { CompletionReader } from './completion-reader.ts';
import { JsonStringWriter, type ValueWriter } from './json-text.ts';
import { readPythonValue } from './python-value.ts';
import { propertyTypes, typeName } from './schema-types.ts';
import type { OfferedTool } from './tool-parser.ts';

const PYTHON_WORDS: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
]);

const PYTHON_BEGINS: ReadonlyMap<string, string> = new Map([
  ['[', 'array'],
  ['{', 'object'],
]);

/** What a JSON value, or Python's True, False and None, can begin with. */
const JSON_BEGINS = '{["-0123456789tfnTFN';

interface ValueOptions {
  readonly tool: OfferedTool;
  readonly parameter: string;
  /** Whether the model wrote the text as a string: without a schema it is one. */
  readonly isQuoted?: boolean;
}

/**
 * Writes the text that a model gave for a parameter as the JSON that the parameter's schema asks for. A string is
 * streamed; all else is held until it is complete, and is a string after all where it is not JSON.
 */
export function argumentValue(
  reader: CompletionReader,
  { tool, parameter, isQuoted = false }: ValueOptions,
): ValueWriter {
  const types = propertyTypes(tool.parameters, parameter);
  const isString = types === undefined ? isQuoted : types.size === 1 && types.has('string');
  if (isString) return new JsonStringWriter(reader.giveArguments);
  return new UntypedValue(types, reader);
}

class UntypedValue implements ValueWriter {
  readonly #types: ReadonlySet<string> | undefined;
  readonly #mostHeld: number;
  readonly #give: (json: string) => void;
  #held = '';
  #begin = '';
  /** Where the text goes on once it is known what it is. */
  #decided: ValueWriter | undefined;

  constructor(types: ReadonlySet<string> | undefined, { mostHeld, giveArguments }: CompletionReader) {
    this.#types = types;
    this.#mostHeld = mostHeld;
    this.#give = giveArguments;
  }

  push(text: string): void {
    if (this.#decided) {
      this.#decided.push(text);
      return;
    }
    this.#held += text;
    if (this.#begin === '') this.#begin = text.trimStart().charAt(0);
    if (this.#begin !== '' && !JSON_BEGINS.includes(this.#begin)) this.#decide(new JsonStringWriter(this.#give));
    else if (this.#held.length > this.#mostHeld) this.#decide(this.#tooLong());
  }

  end(): void {
    if (!this.#decided) {
      const json = jsonOf(this.#held, this.#types);
      if (json !== undefined) {
        this.#give(json);
        return;
      }
      this.#decide(new JsonStringWriter(this.#give));
    }
    this.#decided?.end();
  }

  cut(): void {
    this.#give(this.#held);
    this.#decided?.cut();
  }

  #decide(writer: ValueWriter): void {
    this.#decided = writer;
    writer.push(this.#held);
    this.#held = '';
  }

  /** What can't be held any longer is taken for what it looks like. */
  #tooLong(): ValueWriter {
    const isJson = this.#begin === '{' || this.#begin === '[';
    return isJson ? { push: this.#give, end() {}, cut() {} } : new JsonStringWriter(this.#give);
  }
}

/** The JSON that a text is. Where the types allow strings, only what they name besides is read as JSON. */
function jsonOf(text: string, types: ReadonlySet<string> | undefined): string | undefined {
  const trimmed = text.trim();
  const json = PYTHON_WORDS.get(trimmed) ?? trimmed;
  try {
    const value: unknown = JSON.parse(json);
    return !types?.has('string') || allows(types, value) ? json : undefined;
  } catch {
    return pythonJsonOf(trimmed, types);
  }
}

/** The JSON of a list or a dictionary as Python writes it, where the types name its own. */
function pythonJsonOf(text: string, types: ReadonlySet<string> | undefined): string | undefined {
  const type = PYTHON_BEGINS.get(text.charAt(0));
  return type !== undefined && types?.has(type) ? pythonToJson(text) : undefined;
}

function allows(types: ReadonlySet<string>, value: unknown): boolean {
  const type = typeName(value);
  return type !== 'string' && (types.has(type) || (type === 'number' && types.has('integer')));
}

/** The JSON of a text that is one Python literal; undefined where it is none. */
function pythonToJson(text: string): string | undefined {
  let json = '';
  let isLiteral = false;
  const reader = new CompletionReader({ tools: [], mostHeld: text.length + 1 }, function* (reader) {
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

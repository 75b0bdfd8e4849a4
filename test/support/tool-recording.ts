import type { OfferedTool, ToolCallSink, ToolParser } from '../../src/output/tools/tool-parser.ts';

/** What a parser gave, with neighbouring pieces put together. */
export type Value =
  | { readonly text: string }
  | { readonly call: string; readonly id?: string; readonly arguments: string; readonly isComplete: boolean };

/** A sink for tests: it records what it is given, and throws where the order is wrong. */
export class Recording implements ToolCallSink {
  readonly #given: { text?: string; call?: string; id?: string; arguments?: string; isComplete?: boolean }[] = [];
  argumentLength = 0;

  get given(): readonly Value[] {
    return this.#given as readonly Value[];
  }

  text(text: string): void {
    if (text === '') throw new Error('Empty text was given.');
    if (this.#call()?.isComplete === false) throw new Error('Text was given within a call.');
    const last = this.#given.at(-1);
    if (last?.text === undefined) this.#given.push({ text });
    else last.text += text;
  }

  beginCall(name: string, id?: string): void {
    if (this.#call()?.isComplete === false) throw new Error('A call began within a call.');
    this.#given.push({ call: name, ...(id !== undefined && { id }), arguments: '', isComplete: false });
  }

  callArguments(fragment: string): void {
    const call = this.#call();
    if (fragment === '' || call?.isComplete !== false) throw new Error('Arguments were given outside a call.');
    call.arguments += fragment;
    this.argumentLength += fragment.length;
  }

  endCall(): void {
    const call = this.#call();
    if (call?.isComplete !== false) throw new Error('A call ended that had not begun.');
    call.isComplete = true;
  }

  #call() {
    const last = this.#given.at(-1);
    return last?.call === undefined ? undefined : last;
  }
}

export function run(parser: ToolParser, pieces: Iterable<string>): readonly Value[] {
  const recording = new Recording();
  for (const piece of pieces) parser.push(piece, recording);
  parser.end(recording);
  return recording.given;
}

/** Functions with parameters of every type. */
export const tools: readonly OfferedTool[] = [
  {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
  },
  {
    name: 'search',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        filter: { type: 'object' },
        tags: { type: 'array' },
        exact: { type: 'boolean' },
        limit: { type: ['number', 'null'] },
      },
    },
  },
  { name: 'ping', parameters: undefined },
];

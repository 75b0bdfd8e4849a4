/** A position in a text, counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** An error in a text of the protobuf text format: its position, and what was expected there. */
export class TextFormatError extends Error {
  readonly file: string;
  readonly position: Position;
  /** The message without the position. */
  readonly problem: string;

  constructor(problem: string, { file, position }: { file: string; position: Position }) {
    super(`${file}:${position.line}:${position.column}: ${problem}`);
    this.name = 'TextFormatError';
    this.file = file;
    this.position = { line: position.line, column: position.column };
    this.problem = problem;
  }
}

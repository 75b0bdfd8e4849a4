import type { Position } from './pbtxt/text-format-error.ts';

/** Something to know about a repository: an error keeps a model from being served, a warning may, a note does not. */
export interface Finding {
  readonly severity: 'error' | 'warning' | 'note';
  /** The file or folder that it is about. */
  readonly file: string;
  readonly position?: Position | undefined;
  readonly text: string;
}

/** A finding as one line: `models/a/config.pbtxt:3:1: error: …`. */
export function findingLine({ severity, text, ...place }: Finding): string {
  return `${placeOf(place)}: ${severity}: ${text}`;
}

/** Where a finding is, as editors and terminals understand it. */
export function placeOf({ file, position }: Pick<Finding, 'file' | 'position'>): string {
  return position === undefined ? file : `${file}:${position.line}:${position.column}`;
}

/** A mistake that keeps one model from being served; the others go on. */
export class ModelFault extends Error {
  readonly finding: Finding;

  constructor(text: string, place: Pick<Finding, 'file' | 'position'>) {
    super(`${placeOf(place)}: ${text}`);
    this.name = 'ModelFault';
    this.finding = { severity: 'error', ...place, text };
  }
}

/** Why nothing of a repository can be served, one line each. */
export class RepositoryError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'RepositoryError';
    this.problems = problems;
  }
}

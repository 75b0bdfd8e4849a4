import type { Position } from './pbtxt/text-format-error.ts';

/** A finding in a repository. A model with an error cannot be served, one with a warning may fail. */
export interface Finding {
  readonly severity: 'error' | 'warning' | 'note';
  /** The file or folder that it is about. */
  readonly file: string;
  readonly position?: Position | undefined;
  readonly text: string;
}

/** A finding as one line: `models/a/config.pbtxt:3:1: error: …`. */
export function findingLine({ severity, text, ...location }: Finding): string {
  return `${locationText(location)}: ${severity}: ${text}`;
}

/** The location of a finding, in the format of editors and terminals. */
export function locationText({ file, position }: Pick<Finding, 'file' | 'position'>): string {
  return position === undefined ? file : `${file}:${position.line}:${position.column}`;
}

/** An error that makes one model unavailable; the others are served. */
export class ModelError extends Error {
  readonly finding: Finding;

  constructor(text: string, location: Pick<Finding, 'file' | 'position'>) {
    super(`${locationText(location)}: ${text}`);
    this.name = 'ModelError';
    this.finding = { severity: 'error', ...location, text };
  }
}

/** Why a repository cannot be served at all, one line for each problem. */
export class RepositoryError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'RepositoryError';
    this.problems = problems;
  }
}

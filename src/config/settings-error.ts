/** All errors in the settings, one line each; the program ends with `exitCode`. */
export class SettingsError extends Error {
  readonly exitCode = 2;
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

/** A setting that users of other frontends know and that this version does not have. */
export interface Announced {
  /** What it needs before it can be honoured. */
  readonly needs: string;
  readonly short?: string;
  readonly otherVariables?: readonly string[];
}

/** What is refused by name until the part that it needs is there; then its row moves to the table of settings. */
export const announced: Readonly<Record<string, Announced>> = {};

/** The error line for a setting of that table. */
export function notYet(written: string, { needs }: Announced): string {
  return `${written} is not part of this version yet: ${needs}.`;
}

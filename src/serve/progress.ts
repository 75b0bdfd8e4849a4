/** How far a download or a load is. */
export interface Progress {
  readonly what: string;
  readonly done: number;
  /** Undefined where nobody knows. */
  readonly total: number | undefined;
  /** How amounts are written; bytes when left out. */
  readonly unit?: 'bytes' | 'percent';
}

/** Where progress is shown: a line that is written over on a terminal, one line per work elsewhere. */
export interface ProgressOutput {
  readonly isInteractive: boolean;
  readonly width: number;
  write(text: string): void;
}

const barWidth = 24;
const redrawMilliseconds = 100;

/** Shows progress; `leave` ends a line that is still being drawn over, before others write. */
export interface ProgressReporter {
  (progress: Progress): void;
  leave(): void;
}

/** Shows progress to people. Elsewhere than on a terminal it says once what begins and once that it is done. */
export function progressReporter(output: ProgressOutput): ProgressReporter {
  const begun = new Set<string>();
  let drawnAt = 0;
  let isLineOpen = false;
  const show = (progress: Progress): void => {
    const { what, done, total } = progress;
    const isDone = total !== undefined && done >= total;
    const isNew = !begun.has(what);
    begun.add(what);
    if (isDone) begun.delete(what);
    if (!output.isInteractive) {
      if (isDone) output.write(`${what}: done\n`);
      else if (isNew) output.write(`${what} …\n`);
      return;
    }
    const now = performance.now();
    if (!isDone && !isNew && now - drawnAt < redrawMilliseconds) return;
    drawnAt = now;
    isLineOpen = !isDone;
    output.write(
      `\r${progressLine(progress)
        .slice(0, output.width - 1)
        .padEnd(output.width - 1)}${isDone ? '\n' : ''}`,
    );
  };
  const leave = (): void => {
    if (isLineOpen) output.write('\n');
    isLineOpen = false;
  };
  return Object.assign(show, { leave });
}

/** One line: what, a bar where the end is known, and the amounts. */
export function progressLine({ what, done, total, unit = 'bytes' }: Progress): string {
  if (total === undefined) return `${what}  ${megabytes(done)}`;
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.round(share * barWidth);
  const bar = `[${'='.repeat(filled)}${' '.repeat(barWidth - filled)}]`;
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  return `${what}  ${bar} ${percent} %${unit === 'bytes' ? `  ${megabytes(done)} of ${megabytes(total)}` : ''}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** The progress of a download or a load. */
export interface Progress {
  readonly what: string;
  readonly done: number;
  /** Undefined if unknown. */
  readonly total: number | undefined;
  /** How amounts are written; bytes by default. */
  readonly unit?: 'bytes' | 'percent';
}

/** The output for progress: a terminal gets a line that is redrawn, any other output a line at start and end. */
export interface ProgressOutput {
  readonly isInteractive: boolean;
  readonly width: number;
  write(text: string): void;
}

const barWidth = 24;
const redrawMilliseconds = 100;

/** Shows progress. `leave` ends a line that is still redrawn, before other output. */
export interface ProgressReporter {
  (progress: Progress): void;
  leave(): void;
}

/** Shows progress to people. Outside a terminal it writes one line at the start and one at the end. */
export function progressReporter(output: ProgressOutput): ProgressReporter {
  const started = new Set<string>();
  let drawnAt = 0;
  let isLineOpen = false;
  const show = (progress: Progress): void => {
    const { what, done, total } = progress;
    const isDone = total !== undefined && done >= total;
    const isNew = !started.has(what);
    started.add(what);
    if (isDone) started.delete(what);
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

/** One line: what, a bar if the total is known, and the amounts. */
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

import type { Reporter, TestModule } from 'vitest/node';

const mostFiles = 10;

/** Says at the end of a long run how long each project took, and which files took longest. */
export class DurationsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length > mostFiles) process.stdout.write(`${durationLines(modules.map(fileOf)).join('\n')}\n\n`);
  }
}

interface File {
  readonly project: string;
  readonly path: string;
  readonly milliseconds: number;
}

/** What is printed: the sums by project, then the longest files. */
export function durationLines(files: readonly File[]): string[] {
  const projects = new Map<string, number>();
  for (const { project, milliseconds } of files) projects.set(project, (projects.get(project) ?? 0) + milliseconds);
  const sums = [...projects].map(([project, sum]) => `${project} ${seconds(sum)}`);
  const longest = files.toSorted((one, other) => other.milliseconds - one.milliseconds).slice(0, mostFiles);
  return [
    `Time in files, added up: ${sums.join(', ')}. The longest:`,
    ...longest.map(({ path, milliseconds }) => `${seconds(milliseconds).padStart(9)} ${path}`),
  ];
}

function fileOf(module: TestModule): File {
  const { duration, collectDuration, setupDuration } = module.diagnostic();
  return {
    project: module.project.name,
    path: module.relativeModuleId,
    milliseconds: duration + collectDuration + setupDuration,
  };
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

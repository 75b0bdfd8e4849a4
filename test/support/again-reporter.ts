import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import type { Outage } from './cached-triton.ts';
import { againVariable, readCrashes } from './crashes.ts';

/** A test file, and when it ran. */
export interface RunOfFile {
  readonly path: string;
  readonly failed: boolean;
  readonly began: number;
  readonly ended: number;
}

/**
 * Writes down the files that failed while the shared tritonserver was gone or one of their own had crashed, so that they run once more. Nothing is written
 * where anything else failed too.
 */
export class AgainReporter implements Reporter {
  readonly #began = new Map<string, number>();
  readonly #runs: RunOfFile[] = [];

  onTestModuleQueued({ moduleId }: TestModule): void {
    this.#began.set(moduleId, Date.now());
  }

  onTestModuleEnd(module: TestModule): void {
    const ended = Date.now();
    const began = this.#began.get(module.moduleId) ?? ended;
    this.#runs.push({ path: module.relativeModuleId, failed: !module.ok(), began, ended });
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const file = process.env[againVariable];
    if (file === undefined || errors.length > 0) return;
    const shared = modules.flatMap(({ project }) => project.getProvidedContext().outages ?? []);
    const outages = [...shared, ...readCrashes(file)];
    writeFileSync(file, JSON.stringify(filesToRunAgain(this.#runs, outages)));
  }
}

/** The files that failed, if each of them ran at a time at which a tritonserver was gone; none otherwise. */
export function filesToRunAgain(runs: readonly RunOfFile[], outages: readonly Outage[]): string[] {
  const failed = runs.filter((run) => run.failed);
  const isExcused = (run: RunOfFile): boolean =>
    outages.some(({ began, ended }) => run.began <= ended && began <= run.ended);
  return failed.every(isExcused) ? failed.map(({ path }) => path) : [];
}

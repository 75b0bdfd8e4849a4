import { readFile } from 'node:fs/promises';
import { compareText, haveLevelsInCommon, type ReportPair } from '../../bench/report/compare.ts';
import { readReport } from '../../bench/report/read-report.ts';
import type { Report } from '../../bench/report/report.ts';
import { SettingsError } from '../../config/settings-error.ts';
import type { Terminal } from '../../serve/terminal.ts';

/** Prints two reports side by side. Returns exit code 1 if they have no load level in common. */
export async function compareReports([a, b]: readonly [string, string], terminal: Terminal): Promise<number> {
  const compared: ReportPair = {
    a: { name: a, report: await reportIn(a) },
    b: { name: b, report: await reportIn(b) },
  };
  terminal.out(compareText(compared));
  if (haveLevelsInCommon(compared)) return 0;
  terminal.err('The two reports have no load level in common, so there is nothing to compare.');
  return 1;
}

async function reportIn(file: string): Promise<Report> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new SettingsError([`--compare: cannot read ${file}: ${error.message}.`]);
  });
  const report = readReport(text);
  if (report === undefined)
    throw new SettingsError([
      `--compare: ${file} is not a report of conch bench --json. Set two files that --json wrote.`,
    ]);
  return report;
}

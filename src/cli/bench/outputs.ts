import { access, constants, open, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { reportCsv } from '../../bench/report/csv.ts';
import { reportHtml } from '../../bench/report/html.ts';
import type { Report } from '../../bench/report/report.ts';
import { SettingsError } from '../../config/settings-error.ts';

/** The files of the reports. */
type Outputs = Readonly<Partial<Record<keyof typeof formats, string | undefined>>>;

const formats = {
  json: (report: Report) => `${JSON.stringify(report, undefined, 2)}\n`,
  csv: reportCsv,
  html: reportHtml,
};
const names = Object.keys(formats) as (keyof typeof formats)[];

/** Tries the files before anything is measured, and changes none of them. Throws a SettingsError. */
export async function checkOutputs(outputs: Outputs): Promise<void> {
  const problems: string[] = [];
  for (const name of names) {
    const file = outputs[name];
    if (file !== undefined) await tryFile(file).catch((error: Error) => problems.push(refusal(name, file, error)));
  }
  if (problems.length > 0) throw new SettingsError(problems);
}

async function tryFile(file: string): Promise<void> {
  try {
    await (await open(file, 'r+')).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await access(dirname(file), constants.W_OK);
  }
}

/** Writes the report in each requested format. */
export async function writeReports(report: Report, outputs: Outputs): Promise<void> {
  const problems: string[] = [];
  for (const name of names) {
    const file = outputs[name];
    if (file === undefined) continue;
    await writeFile(file, formats[name](report)).catch((error: Error) => problems.push(refusal(name, file, error)));
  }
  if (problems.length > 0) throw new SettingsError(problems);
}

function refusal(name: string, file: string, { message }: Error): string {
  return `--${name}: cannot write ${file}: ${message}.`;
}

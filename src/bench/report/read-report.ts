import type { Report } from './report.ts';

/** Parses the JSON file of a report; undefined if it is none. */
export function readReport(text: string): Report | undefined {
  try {
    const value = JSON.parse(text) as Partial<Report> | null;
    const isReport = value?.tool === 'conch bench' && value.format === 1 && Array.isArray(value.levels);
    return isReport ? (value as Report) : undefined;
  } catch {
    return undefined;
  }
}

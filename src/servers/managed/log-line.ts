/** The level of a log line. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

const levels: Readonly<Record<string, LogLevel>> = { I: 'info', W: 'warn', E: 'error', F: 'error', V: 'debug' };

/** A line of tritonserver's log: its level, and its text without the time and the source location. */
export function tritonLogLine(line: string): [LogLevel, string] {
  const match = /^([IWEFV])\d{4} [\d:.]+ \d+ [^\]]+\] (.*)$/.exec(line);
  if (!match) return ['info', line];
  const [, letter = '', text = ''] = match;
  return [levels[letter] ?? 'info', text.replace(/^"(.*)"$/, '$1')];
}

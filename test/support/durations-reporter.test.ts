import { expect, it } from 'vitest';
import { durationLines } from './durations-reporter.ts';

it('adds up the files of each project, and names the ten longest', () => {
  const files = Array.from({ length: 12 }, (_, at) => ({
    project: at % 2 === 0 ? 'unit' : 'integration',
    path: `file-${at}`,
    milliseconds: at * 100,
  }));
  expect(durationLines(files)).toEqual([
    'Time in files, added up: unit 3.0 s, integration 3.6 s. The longest:',
    ...[11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((at) => `    ${(at / 10).toFixed(1)} s file-${at}`),
  ]);
});

import type { ModelRow } from '../models/served-model.ts';
import { table } from '../table.ts';

/** The model table as text. The last column says why a model is not served. */
export function modelTable(rows: readonly ModelRow[]): string {
  if (rows.length === 0) return 'No models.';
  return table(
    ['MODEL', 'VERSION', 'SERVER', 'CONTRACT', 'TOKENIZER', 'STATE', ''],
    rows.map((row) => [row.name, row.version, row.server, row.contract, row.tokenizer, row.state, note(row)]),
  );
}

function note({ reason, state }: ModelRow): string {
  const [line = ''] = reason.trim().split('\n', 1);
  if (line === '') return '';
  return state === 'READY' ? `not served: ${line}` : line;
}

/** The server's reason for a model that was unloaded by request. */
const unloaded = 'unloaded';

/** Warns of models that a server failed to load, once for each reason until it changes. */
export function failedLoads(warn: (line: string) => void): (rows: readonly ModelRow[]) => void {
  let known = new Set<string>();
  return (rows) => {
    const failed = rows.filter(({ state, reason }) => state === 'UNAVAILABLE' && reason !== '' && reason !== unloaded);
    const lines = failed.map(
      ({ name, server, reason }) =>
        `the model ${name} could not be loaded on ${server}: ${reason.replaceAll(/\s+/g, ' ').trim()}`,
    );
    const now = new Set(lines);
    for (const line of now) if (!known.has(line)) warn(line);
    known = now;
  };
}

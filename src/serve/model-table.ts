import type { ModelRow } from '../models/served-model.ts';
import { table } from '../table.ts';

/** The model table as people read it; the last column says why a model is not offered. */
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
  return state === 'READY' ? `not offered: ${line}` : line;
}

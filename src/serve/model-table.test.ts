import { expect, it } from 'vitest';
import type { ModelRow } from '../models/served-model.ts';
import { failedLoads } from './model-table.ts';

const row = (state: string, reason = '', server = 'gpu:8001'): ModelRow => ({
  name: 'bad',
  version: '1',
  server,
  contract: '-',
  tokenizer: '-',
  state,
  reason,
});

it('warns once for each reason, until it changes or the model was well again', () => {
  const lines: string[] = [];
  const see = failedLoads((line) => lines.push(line));
  const notify = (...rows: ModelRow[]): string[] => {
    see(rows);
    return lines.splice(0);
  };
  const broken = row('UNAVAILABLE', 'Internal: no such\n  file');
  const words = 'the model bad could not be loaded on gpu:8001: Internal: no such file';
  expect(notify(row('LOADING'))).toEqual([]);
  expect(notify(broken)).toEqual([words]);
  expect(notify(broken, row('READY', '', 'other:8001'))).toEqual([]);
  expect(notify(broken, { ...broken, server: 'other:8001' })).toEqual([words.replace('gpu', 'other')]);
  expect(notify(row('UNAVAILABLE', 'out of memory'))).toEqual([
    'the model bad could not be loaded on gpu:8001: out of memory',
  ]);
  expect(notify(row('READY'))).toEqual([]);
  expect(notify(broken)).toEqual([words]);
});

it('does not report models that were unloaded, or are not served', () => {
  const lines: string[] = [];
  const see = failedLoads((line) => lines.push(line));
  see([row('UNAVAILABLE', 'unloaded'), row('UNAVAILABLE'), row('READY', 'no contract fits its tensors')]);
  expect(lines).toEqual([]);
});
